"""The cards of the contract: the real file holds what the contract says; every planted fault is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.contract.cards import CARDS_FILE, card_for, load_card, load_cards, minutes_text
from autograder.contract.laws import PCIE_GT_S
from solutions.errors import CourseError

TEXT = CARDS_FILE.read_text(encoding="utf-8")


def test_the_training_clause_is_the_contracts_word_for_word() -> None:
    rows = {card.name: (card.sla.time, card.sla.accuracy) for card in load_cards() if card.sla}
    assert rows == {
        "GTX 1060 6GB": ("≤ 1 h 52 m", "≥ 98.23 %"),
        "RTX 2060 6GB": ("≤ 48 m", "≥ 98.41 %"),
        "RX 5700 XT 8GB": ("≤ 1 h 15 m", "≥ 98.17 %"),
    }


def test_numbers_of_the_training_clause() -> None:
    rows = {card.name: (card.sla.minutes, card.sla.fraction) for card in load_cards() if card.sla}
    assert rows == {"GTX 1060 6GB": (112, 0.9823), "RTX 2060 6GB": (48, 0.9841), "RX 5700 XT 8GB": (75, 0.9817)}


def test_data_sheet_of_the_gtx_1060() -> None:
    card = load_card("GTX 1060 6GB")
    assert (card.arch, card.multiprocessors.value, card.cores.value) == ("sm_61", 10, 1280)
    assert (card.memory_mb.value, card.bandwidth_gb_s.value, card.bus_bits.value) == (6144, 192, 192)
    assert (card.pcie_generation.value, card.pcie_lanes.value) == (3, 16)
    assert (card.environment.glibc, card.environment.cuda, card.environment.cudnn) == ("2.35", "11.7", "8.5.0")


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.name)
def test_bandwidth_is_bus_width_times_a_data_rate_that_exists(card) -> None:  # type: ignore[no-untyped-def]
    """Gb/s a pin: GDDR5 8, GDDR6 14, HBM3e about 6.4; a typing error in either figure lands elsewhere."""
    rate = card.bandwidth_gb_s.value * 8 / card.bus_bits.value
    assert round(rate, 1) in (8, 14, 6.4)
    assert card.pcie_generation.value in PCIE_GT_S


def test_lookup_by_name_forgives_case_and_spaces_only() -> None:
    assert load_card("gtx 1060  6gb") is load_card("GTX 1060 6GB")
    with pytest.raises(CourseError, match="GTX 1060 6GB, GTX 1060 Mobile, RTX 2060 6GB, RX 5700 XT 8GB, NVIDIA H200"):
        load_card("GTX 1060")


@pytest.mark.parametrize(
    ("pci_id", "revision", "name"),
    [
        ("10de:1c20", "a1", "GTX 1060 Mobile"),
        ("10de:1c20", None, "GTX 1060 Mobile"),
        ("10de:1c03", "a1", "GTX 1060 6GB"),
        ("10de:2335", "a1", "NVIDIA H200"),
        ("1002:731f", "c1", "RX 5700 XT 8GB"),
        ("1002:731f", "c4", None),  # an RX 5700 without XT: same device number
        ("1002:731f", None, None),
        ("10de:1c02", "a1", None),  # the 3 GB card, which has other memory and fewer cores
    ],
)
def test_lookup_by_pci_id(pci_id: str, revision: str | None, name: str | None) -> None:
    card = card_for(pci_id, revision)
    assert (card.name if card else None) == name


def fault(old: str, new: str) -> str:
    assert TEXT.count(old) >= 1, f"{old!r} is no longer in cards.toml: the planted fault is not planted"
    return TEXT.replace(old, new, 1)


MEMORY = 'memory_mb = { value = 6144, source = "nvidia-pascal" }'
SLA = 'sla = { minutes = 112, time = "≤ 1 h 52 m", fraction = 0.9823, accuracy = "≥ 98.23 %", source = "article" }'


FAULTS = [
    (fault(MEMORY, MEMORY.replace("memory_mb", "memory_gb")), r"GTX 1060 6GB .*unit memory_gb; did you mean memory_"),
    (fault(MEMORY, "colour = 'green'\n" + MEMORY), r"unknown field or unit colour"),
    (fault(MEMORY, ""), r"card GTX 1060 6GB lacks memory_mb"),
    (fault(MEMORY, MEMORY.replace("6144", "-6144")), r"memory_mb must be above 0, not -6144"),
    (fault(MEMORY, MEMORY.replace("6144", "0")), r"memory_mb must be above 0"),
    (fault(MEMORY, MEMORY.replace("6144", "6144.5")), r"memory_mb must be a whole number"),
    (fault(MEMORY, MEMORY.replace("6144", '"6 GB"')), r"memory_mb must be a number, not '6 GB'"),
    (fault(MEMORY, MEMORY.replace("6144", "nan")), r"memory_mb must be a number"),
    (fault(MEMORY, MEMORY.replace("6144", "true")), r"memory_mb must be a number"),
    (fault(MEMORY, "memory_mb = 6144"), r"memory_mb must be a table"),
    (fault(MEMORY, "memory_mb = { value = 6144 }"), r"memory_mb lacks source"),
    (fault(MEMORY, MEMORY.replace("nvidia-pascal", "hearsay")), r"source hearsay is not listed"),
    (fault(MEMORY, MEMORY.replace("value", "values")), r"memory_mb has an unknown field or unit values"),
    (fault("cores = { value = 1280", "cores = { value = 1281"), r"multiple of multiprocessors"),
    (fault('vendor = "NVIDIA"', 'vendor = "3dfx"'), r"vendor 3dfx is unknown; there are: NVIDIA, AMD"),
    (fault('vendor = "NVIDIA"', 'vendor = "AMD"'), r"10de:1c03 is not of vendor 1002"),
    (fault('"10de:1c03"', '"10DE:1C03"'), r"10DE:1C03 is not vendor:device"),
    (fault('"10de:1c06"', '"10de:1c20"'), r"PCI ID 10de:1c20 belongs to more than one card"),
    (fault('name = "RTX 2060 6GB"', 'name = "GTX 1060 6GB"'), r"name GTX 1060 6GB belongs to more than one"),
    (fault('cuda = "11.7"', 'cuda = "eleven"'), r"cuda eleven is not a version"),
    (fault('cuda = "11.7"', "cuda = 11.7"), r"cuda must be a text"),
    (fault('systems = ["Ubuntu 22.04"]', "systems = []"), r"systems must be a list of texts"),
    (fault(SLA, SLA.replace("112", "111")), r"time '≤ 1 h 52 m' and minutes 111 differ; '≤ 1 h 51 m' agrees"),
    (fault(SLA, SLA.replace("0.9823", "0.9832")), r"fraction 0.9832 differ; '≥ 98.32 %' agrees"),
    (fault(SLA, SLA.replace("0.9823", "98.23")), r"fraction 98.23 differ"),
    (fault("\n[sources]\n", "\n[origins]\n"), r"unknown field or unit origins"),
    (TEXT + "\n[[card]]\n", r"card without a name lacks arch, bandwidth_gb_s"),
    (TEXT.replace("sla = {", "environs = {"), r"unknown field or unit environs"),
    ("\n".join(line for line in TEXT.splitlines() if not line.startswith("sla")), r"no card has an sla"),
    (TEXT + "= nonsense", r"is not TOML"),
    ('sources = "none"\ncard = []', r"\[sources\] must be a table"),
    ("card = 3\n[sources]\n", r"cards are tables"),
    ("card = [3]\n[sources]\n", r"card without a name must be a table"),
    ("", r"the file lacks card, sources"),
]


@pytest.mark.parametrize(("text", "words"), FAULTS, ids=[words for _, words in FAULTS])
def test_planted_faults_are_named_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "cards.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CourseError, match=words) as error:
        load_cards(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="cannot read"):
        load_cards(tmp_path / "nowhere.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "caf\xe9"')
    with pytest.raises(CourseError, match="is not TOML"):
        load_cards(tmp_path / "latin.toml")


def test_minutes_as_the_contract_spells_them() -> None:
    assert [minutes_text(minutes) for minutes in (48, 60, 75, 112)] == ["48 m", "1 h 0 m", "1 h 15 m", "1 h 52 m"]

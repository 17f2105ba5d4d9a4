"""The cards of the contract: typed, checked, and every figure with its source. The data are in ``cards.toml``."""

from __future__ import annotations

import difflib
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from solutions.errors import CourseError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CARDS_FILE = Path(__file__).with_name("cards.toml")
REFERENCE_CARD = "GTX 1060 6GB"
"""The card whose laws bound the batch where there is no card to derive it from."""
VENDORS = {"NVIDIA": "10de", "AMD": "1002"}
"""Vendor → PCI vendor ID."""
_PCI_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}(:[0-9a-f]{2})?")
_VERSION = re.compile(r"\d+(\.\d+)*")


@dataclass(frozen=True)
class Figure:
    """A number from a data sheet, or from somebody's measurement, and where it is from."""

    value: float
    source: str


@dataclass(frozen=True)
class PciIds:
    """``vendor:device`` or ``vendor:device:revision``, lower-case hexadecimal."""

    value: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Environment:
    """The environment clause: what the card's stack must be. A version matches by its leading parts."""

    systems: tuple[str, ...]
    source: str
    glibc: str | None = None
    cuda: str | None = None
    cudnn: str | None = None
    rocm: str | None = None


@dataclass(frozen=True)
class Sla:
    """The training clause of a card: minutes and accuracy, in the contract's words and as numbers."""

    minutes: int
    time: str
    fraction: float
    accuracy: str
    source: str


@dataclass(frozen=True)
class Card:
    """A card of the contract. Units: ``_mb`` is 1024² bytes, ``_gb_s`` is 10⁹ bytes a second."""

    name: str
    vendor: str
    arch: str
    multiprocessors: Figure
    cores: Figure
    wave_width: Figure
    memory_mb: Figure
    bandwidth_gb_s: Figure
    bus_bits: Figure
    pcie_generation: Figure
    pcie_lanes: Figure
    pci_ids: PciIds
    environment: Environment
    memory_free_mb: Figure | None = None
    pcie_typical_gb_s: Figure | None = None
    sla: Sla | None = None

    def matches(self, pci_id: str, revision: str | None) -> bool:
        """Whether a device ``vendor:device``, with its revision where known, is this card."""
        return pci_id in self.pci_ids.value or f"{pci_id}:{revision}" in self.pci_ids.value


FRACTIONAL = {"bandwidth_gb_s", "pcie_typical_gb_s"}
"""Figures that need not be whole numbers."""


@lru_cache(maxsize=8)
def load_cards(path: Path = CARDS_FILE) -> tuple[Card, ...]:
    """All cards of the contract, in the file's order.

    Raises:
        CourseError: the file is missing or damaged, or a field is unknown, missing, negative or without a source.
    """
    try:
        with path.open("rb") as handle:
            document = tomllib.load(handle)
    except OSError as error:
        raise CourseError(f"cannot read {path}: {error.strerror}; restore it from the repository") from error
    except ValueError as error:  # TOML's own errors, and bytes that are not UTF-8
        raise CourseError(f"{path} is not TOML: {error}; restore it from the repository") from error
    reader = _Reader(path)
    reader.keys("the file", document, {"sources", "card"}, set())
    sources, tables = document["sources"], document["card"]
    reader.demand(isinstance(sources, dict), "[sources] must be a table of texts")
    reader.demand(isinstance(tables, list), "cards are tables, each under [[card]]")
    cards = tuple(_card(reader, table, sources) for table in tables)
    names = [card.name for card in cards]
    ids = [pci_id for card in cards for pci_id in card.pci_ids.value]
    for what, values in (("name", names), ("PCI ID", ids)):
        double = sorted({value for value in values if values.count(value) > 1})
        reader.demand(not double, f"{what} {', '.join(double)} belongs to more than one card")
    reader.demand(any(card.sla for card in cards), "no card has an sla, so nothing bounds the accuracy")
    return cards


def load_card(name: str) -> Card:
    """The card called ``name``; case and spaces do not matter.

    Raises:
        CourseError: no such card; the message lists those that there are.
    """
    cards = load_cards()
    for card in cards:
        if _plain(card.name) == _plain(name):
            return card
    raise CourseError(f"no card {name!r} in the contract; there are: {known_names()}")


def known_names() -> str:
    """The names of all cards of the contract, in one line."""
    return ", ".join(card.name for card in load_cards())


def card_for(pci_id: str, revision: str | None) -> Card | None:
    """The card of the contract that a PCI device is, if it is one."""
    return next((card for card in load_cards() if card.matches(pci_id, revision)), None)


def _plain(name: str) -> str:
    return "".join(name.split()).lower()


class _Reader:
    """Checks that name the file, the place in it, and the way out, in one line."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def demand(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise CourseError(f"{self._path}: {otherwise}")

    def keys(self, where: str, table: object, needed: set[str], optional: set[str]) -> None:
        if not isinstance(table, dict):
            raise CourseError(f"{self._path}: {where} must be a table")
        for key in table:
            if key not in needed | optional:
                near = difflib.get_close_matches(key, sorted(needed | optional), 1, cutoff=0.5)
                hint = f"did you mean {near[0]}?" if near else f"fields: {', '.join(sorted(needed | optional))}"
                raise CourseError(f"{self._path}: {where} has an unknown field or unit {key}; {hint}")
        missing = sorted(needed - set(table))
        self.demand(not missing, f"{where} lacks {', '.join(missing)}")

    def text(self, where: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise CourseError(f"{self._path}: {where} must be a text, not {value!r}")
        return value

    def texts(self, where: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not value:
            raise CourseError(f"{self._path}: {where} must be a list of texts, not {value!r}")
        return tuple(self.text(where, item) for item in value)

    def number(self, where: str, value: object, whole: bool) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise CourseError(f"{self._path}: {where} must be a number, not {value!r}")
        self.demand(value > 0, f"{where} must be above 0, not {value}")
        self.demand(not whole or isinstance(value, int), f"{where} must be a whole number, not {value}")
        return value

    def source(self, where: str, table: Mapping[str, Any], sources: Mapping[str, Any]) -> str:
        key = self.text(f"{where}: source", table["source"])
        self.demand(key in sources, f"{where}: source {key} is not listed under [sources]")
        return self.text(f"source {key}", sources[key])


def _card(reader: _Reader, table: Any, sources: Mapping[str, Any]) -> Card:
    needed = {field.name for field in fields(Card) if field.default is MISSING}
    optional = {field.name for field in fields(Card)} - needed
    name = table.get("name", "without a name") if isinstance(table, dict) else "without a name"
    where = f"card {name}"
    reader.keys(where, table, needed, optional)
    values: dict[str, Any] = {key: reader.text(f"{where}: {key}", table[key]) for key in ("name", "vendor", "arch")}
    known = ", ".join(VENDORS)
    reader.demand(values["vendor"] in VENDORS, f"{where}: vendor {values['vendor']} is unknown; there are: {known}")
    for key in sorted(set(table) - {"name", "vendor", "arch", "pci_ids", "environment", "sla"}):
        place = f"{where}: {key}"
        reader.keys(place, table[key], {"value", "source"}, set())
        number = reader.number(place, table[key]["value"], whole=key not in FRACTIONAL)
        values[key] = Figure(number, reader.source(place, table[key], sources))
    whole_units = values["cores"].value % values["multiprocessors"].value == 0
    reader.demand(whole_units, f"{where}: cores must be a multiple of multiprocessors")
    values["pci_ids"] = _pci_ids(reader, f"{where}: pci_ids", table["pci_ids"], VENDORS[values["vendor"]], sources)
    values["environment"] = _environment(reader, f"{where}: environment", table["environment"], sources)
    if "sla" in table:
        values["sla"] = _sla(reader, f"{where}: sla", table["sla"], sources)
    return Card(**values)


def _pci_ids(reader: _Reader, where: str, table: Any, vendor_id: str, sources: Mapping[str, Any]) -> PciIds:
    reader.keys(where, table, {"value", "source"}, set())
    ids = reader.texts(where, table["value"])
    for pci_id in ids:
        form = "vendor:device or vendor:device:revision in lower-case hexadecimal"
        reader.demand(_PCI_ID.fullmatch(pci_id) is not None, f"{where}: {pci_id} is not {form}")
        reader.demand(pci_id.startswith(f"{vendor_id}:"), f"{where}: {pci_id} is not of vendor {vendor_id}")
    return PciIds(ids, reader.source(where, table, sources))


def _environment(reader: _Reader, where: str, table: Any, sources: Mapping[str, Any]) -> Environment:
    versions = ("glibc", "cuda", "cudnn", "rocm")
    reader.keys(where, table, {"systems", "source"}, set(versions))
    given = {key: reader.text(f"{where}: {key}", table[key]) for key in versions if key in table}
    for key, version in given.items():
        reader.demand(_VERSION.fullmatch(version) is not None, f"{where}: {key} {version} is not a version like 11.7")
    systems = reader.texts(f"{where}: systems", table["systems"])
    return Environment(systems, reader.source(where, table, sources), **given)


def _sla(reader: _Reader, where: str, table: Any, sources: Mapping[str, Any]) -> Sla:
    reader.keys(where, table, {"minutes", "time", "fraction", "accuracy", "source"}, set())
    minutes = int(reader.number(f"{where}: minutes", table["minutes"], whole=True))
    fraction = reader.number(f"{where}: fraction", table["fraction"], whole=False)
    time, accuracy = reader.text(f"{where}: time", table["time"]), reader.text(f"{where}: accuracy", table["accuracy"])
    spelled_time, spelled_accuracy = f"≤ {minutes_text(minutes)}", f"≥ {100 * fraction:.2f} %"
    reader.demand(time == spelled_time, f"{where}: time {time!r} and minutes {minutes} differ; {spelled_time!r} agrees")
    agree = accuracy == spelled_accuracy and fraction < 1
    reader.demand(agree, f"{where}: accuracy {accuracy!r} and fraction {fraction} differ; {spelled_accuracy!r} agrees")
    return Sla(minutes, time, fraction, accuracy, reader.source(where, table, sources))


def minutes_text(minutes: int) -> str:
    """``112`` → ``"1 h 52 m"``; ``48`` → ``"48 m"``."""
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} m" if hours else f"{rest} m"

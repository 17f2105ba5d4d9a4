"""The hardware clause: a card, judged by what was measured on it, or by its profile where it is not in the machine."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.contract.cards import REFERENCE_CARD, VENDORS, Card, Environment, known_names, load_card
from autograder.contract.clauses import Basis, Clause, Quantity, status_of
from autograder.contract.detect import Gpu, Machine
from autograder.contract.laws import max_batch_size, pcie_nominal_gb_s
from autograder.contract.probe import NOT_INSTALLED
from solutions.recipe import MNIST_LAYERS

FREE_MEMORY_MB = 4200
"""The contract's bound on free memory, in MB of 1024² bytes."""
PCIE_GB_S = 12.0
"""The contract's bound on copies from page-locked memory to the card, in 10⁹ bytes a second."""

_NOTHING: Basis = "none"
_MEASURED: Basis = "measured"
_PROFILE: Basis = "profile"


@dataclass(frozen=True)
class Subject:
    """What is judged: a card's profile, the GPU in the machine, or both where the GPU is that card."""

    card: Card | None
    gpu: Gpu | None

    @property
    def from_profile(self) -> bool:
        """Whether the card is not in the machine, so that its profile stands for it."""
        return self.gpu is None and self.card is not None


def choose_subject(machine: Machine, asked: Card | None) -> Subject:
    """The card to judge: the one asked for; else the first GPU that the contract knows; else the first GPU."""
    if asked is not None:
        return Subject(asked, next((gpu for gpu in machine.gpus if gpu.card() == asked), None))
    ranked = sorted(machine.gpus, key=lambda gpu: gpu.card() is None)
    return Subject(ranked[0].card(), ranked[0]) if ranked else Subject(None, None)


def judge(machine: Machine, subject: Subject) -> list[Clause]:
    """All clauses, in the order of the screen."""
    return [
        _card_clause(machine, subject),
        _memory_clause(machine, subject),
        _pcie_clause(machine, subject),
        _batch_clause(subject),
        *_environment_clauses(machine, subject),
    ]


# --- the card ---------------------------------------------------------------------------------------------------------


def _card_clause(machine: Machine, subject: Subject) -> Clause:
    required = "a card of the contract"
    card, gpu = subject.card, subject.gpu
    if card and gpu:
        return Clause("card", "pass", required, f"{card.name} ({gpu.text()})", "measured")
    if card:
        ids = ", ".join(card.pci_ids.value)
        found = f"{card.name} (PCI {ids}), not in this machine: judged by its profile"
        return Clause("card", "pass", required, found, "profile")
    if gpu:
        found = f"{gpu.text()}, which the contract does not know; it knows: {known_names()}"
        return Clause("card", "fail", required, found, "measured")
    found = (
        f"no GPU found (looked at: {'; '.join(machine.looked_at)}); train.py runs on the CPU; "
        "use --card NAME to judge a card that is not here"
    )
    return Clause("card", "fail", required, found, "none")


def _memory_clause(machine: Machine, subject: Subject) -> Clause:
    card, gpu = subject.card, subject.gpu
    value: float | None = None
    found, basis = "no GPU", _NOTHING
    if gpu:
        value, basis = gpu.memory_free_mb, _MEASURED
        total = f" of {gpu.memory_total_mb:,.0f} MB" if gpu.memory_total_mb else ""
        found = f"{value:,.0f} MB{total}" if value is not None else f"not known ({_why(machine, gpu)})"
    elif card and card.memory_free_mb:
        value, basis = card.memory_free_mb.value, _PROFILE
        found = f"{value:,.0f} MB (typical figure of the profile, unverified here: {card.memory_free_mb.source})"
    elif card:
        value, basis = card.memory_mb.value, _PROFILE
        found = f"{value:,.0f} MB in all (nominal figure of the profile; what is free is unverified)"
    return _at_least("free memory", value, FREE_MEMORY_MB, "MB", f"≥ {FREE_MEMORY_MB:,} MB", found, basis)


def _pcie_clause(machine: Machine, subject: Subject) -> Clause:
    card, gpu = subject.card, subject.gpu
    value: float | None = None
    found, basis = "no GPU", _NOTHING
    if gpu:
        value, basis = gpu.copy_gb_s, _MEASURED
        how = "median of page-locked copies to the card"
        found = f"{value:.1f} GB/s ({how})" if value is not None else f"not measured ({_why(machine, gpu)})"
    elif card and card.pcie_typical_gb_s:
        value, basis = card.pcie_typical_gb_s.value, _PROFILE
        found = f"{value:.1f} GB/s (typical figure of the profile, unverified here: {card.pcie_typical_gb_s.source})"
    elif card:
        generation, lanes = int(card.pcie_generation.value), int(card.pcie_lanes.value)
        value, basis = pcie_nominal_gb_s(generation, lanes), _PROFILE
        found = f"{value:.1f} GB/s (nominal figure of PCIe {generation}.0 ×{lanes}, unverified; copies reach less)"
    return _at_least("PCIe bandwidth", value, PCIE_GB_S, "GB/s", f"≥ {PCIE_GB_S:.1f} GB/s", found, basis)


def _at_least(
    name: str, value: float | None, bound: float, unit: str, required: str, found: str, basis: Basis
) -> Clause:
    if value is None:
        return Clause(name, "unverified", required, found, "none", Quantity(None, bound, unit))
    return Clause(name, status_of(value >= bound), required, found, basis, Quantity(value, bound, unit))


def _why(machine: Machine, gpu: Gpu) -> str:
    """Why a GPU that is here could not be measured, and the way out."""
    missing = machine.cupy_says.endswith(NOT_INSTALLED)
    remedy = "; to measure, install CuPy: requirements.txt has it for CUDA 11.7" if missing else ""
    return f"{gpu.trouble or machine.cupy_says}{remedy}"


def _batch_clause(subject: Subject) -> Clause:
    """At least one whole wave: a smaller batch leaves lanes of the card idle."""
    network = "-".join(map(str, MNIST_LAYERS))
    card = subject.card or load_card(REFERENCE_CARD)
    limit = max_batch_size(MNIST_LAYERS, card)
    wave = int(card.wave_width.value)
    mine = subject.card is not None
    whose = f"for {network}" if mine else f"for {network} on the {card.name}; train.py keeps to it"
    return Clause(
        name="largest safe batch",
        status=status_of(limit.value >= wave) if mine else "unverified",
        required=f"≥ {wave}, one whole wave",
        found=f"{limit.value} {whose}",
        basis="derived",
        quantity=Quantity(limit.value, wave, "samples"),
        steps=limit.steps,
    )


# --- the environment --------------------------------------------------------------------------------------------------


def _environment_clauses(machine: Machine, subject: Subject) -> list[Clause]:
    """System, C library and toolkit, as far as the card's clause binds them; with no card, all as information."""
    environment = subject.card.environment if subject.card else None
    system, glibc = machine.system.text(), machine.system.glibc
    rows = [
        ("system", _either(environment), system, bool(environment and machine.system.name in environment.systems)),
        (
            "C library",
            f"glibc {environment.glibc}" if environment and environment.glibc else None,
            f"glibc {glibc}" if glibc else "no glibc",
            version_matches(glibc, environment.glibc if environment else None),
        ),
        _toolkit_row(machine, subject),
    ]
    return [
        _environment_clause(name, subject, required, found, holds)
        for name, required, found, holds in rows
        if required is not None or environment is None
    ]


def _either(environment: Environment | None) -> str | None:
    return " or ".join(environment.systems) if environment else None


def _toolkit_row(machine: Machine, subject: Subject) -> tuple[str, str | None, str, bool | None]:
    """CUDA's or ROCm's version; the driver is told too: it is not bound, but people ask for it first."""
    environment, gpu = subject.card.environment if subject.card else None, subject.gpu
    amd = subject.card.vendor == "AMD" if subject.card else bool(gpu and (gpu.pci_id or "").startswith(VENDORS["AMD"]))
    if amd:
        version, bound = machine.system.rocm, environment.rocm if environment else None
        maker, found = "ROCm", f"ROCm {version or 'not found under /opt/rocm'}"
    else:
        version, bound = machine.toolkit, environment.cuda if environment else None
        maker, found = "CUDA", f"CUDA {version or f'unknown ({machine.cupy_says})'}"
    driver = f", driver {gpu.driver}" if gpu and gpu.driver else ""
    required = f"{maker} {bound}" if bound else None
    if environment and environment.cudnn:
        required = f"{required}, cuDNN {environment.cudnn} (not looked for: no code of the course calls it)"
    return "toolkit", required, found + driver, version_matches(version, bound) if version else None


def _environment_clause(name: str, subject: Subject, required: str | None, found: str, holds: bool | None) -> Clause:
    """Judged only where the card is in the machine: elsewhere, this machine's software says nothing about it."""
    basis = _NOTHING if holds is None else _MEASURED
    if required is None:
        return Clause(name, "unverified", "nothing, without a card of the contract", found, basis)
    if subject.from_profile:
        return Clause(name, "unverified", required, f"{found}, on this machine, which is not the card's", basis)
    return Clause(name, status_of(holds) if holds is not None else "unverified", required, found, basis)


def version_matches(found: str | None, required: str | None) -> bool:
    """Whether ``found`` has all leading parts of ``required``: 11.7.99 is an 11.7, 11.70 is not."""
    if found is None or required is None:
        return required is None
    parts = required.split(".")
    return found.split(".")[: len(parts)] == parts

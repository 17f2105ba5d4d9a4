"""The hardware contract's verdict on a machine or on a card's profile, for people and for programs."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograder.contract.cards import Card
from autograder.contract.clauses import Clause, names_of
from autograder.contract.detect import Machine
from autograder.contract.hardware import Subject, choose_subject, judge

SCHEMA = "hardware-check/1"


@dataclass(frozen=True)
class HardwareReport:
    """A machine, and the card that was asked for, if one was."""

    machine: Machine
    asked: Card | None

    @cached_property
    def clauses(self) -> list[Clause]:
        """All clauses, judged."""
        return judge(self.machine, self._subject)

    @cached_property
    def _subject(self) -> Subject:
        return choose_subject(self.machine, self.asked)

    @property
    def passed(self) -> bool:
        """Whether the contract holds.

        On a card in this machine, every clause must have been verified. On a profile none may fail: what cannot be
        verified without the card stays unverified, and the verdict says so.
        """
        failed, unverified = names_of(self.clauses, "fail"), names_of(self.clauses, "unverified")
        return not failed and (self._subject.from_profile or not unverified)

    def lines(self) -> list[str]:
        """What a person reads."""
        return [
            self._title(),
            *(line for clause in self.clauses for line in clause.lines()),
            *self._training_lines(),
            self._verdict(),
        ]

    def _title(self) -> str:
        card = self._subject.card
        if card is None:
            return "Hardware contract, held against this machine"
        where = "by its profile, nothing was measured on it" if self._subject.from_profile else "in this machine"
        units = "SMs" if card.vendor == "NVIDIA" else "compute units"
        return (
            f"Hardware contract, {card.name} ({where}): {card.vendor} {card.arch}, "
            f"{card.multiprocessors.value} {units}, {card.cores.value:,} cores, {card.memory_mb.value:,} MB, "
            f"{card.bandwidth_gb_s.value:,} GB/s over {card.bus_bits.value:,} bits, "
            f"PCIe {card.pcie_generation.value}.0 ×{card.pcie_lanes.value}"
        )

    def _training_lines(self) -> list[str]:
        card = self._subject.card
        if card is None or card.sla is None:
            return []
        return [
            f"– training clause: required {card.sla.time}, {card.sla.accuracy}; "
            "not judged here: make train and test_accuracy.py judge it"
        ]

    def _verdict(self) -> str:
        failed, unverified = names_of(self.clauses, "fail"), names_of(self.clauses, "unverified")
        rest = f"; unverified: {unverified}" if unverified else ""
        if failed:
            return f"verdict ✗: the contract does not hold: {failed}{rest}"
        if self._subject.from_profile:
            return f"verdict ✓: by its profile the card meets the contract; nothing was measured on it{rest}"
        if unverified:
            return f"verdict ✗: not shown to hold; unverified: {unverified}"
        return "verdict ✓: the contract holds"

    def to_json(self) -> dict[str, Any]:
        """What a program reads; the keys are part of the published schema."""
        card = self._subject.card
        return {
            "schema": SCHEMA,
            "card": card.name if card else None,
            "from_profile": self._subject.from_profile,
            "gpus": [dataclasses.asdict(gpu) for gpu in self.machine.gpus],
            "system": dataclasses.asdict(self.machine.system),
            "cupy": self.machine.cupy,
            "toolkit": self.machine.toolkit,
            "looked_at": list(self.machine.looked_at),
            "clauses": [clause.to_json() for clause in self.clauses],
            "sla": dataclasses.asdict(card.sla) if card and card.sla else None,
            "passed": self.passed,
        }

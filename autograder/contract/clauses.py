"""One line of a verdict: what the contract requires, what was found, and whether that is enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["pass", "fail", "unverified"]
Basis = Literal["measured", "profile", "derived", "none"]
"""Where the finding is from: read or measured here, the card's profile, arithmetic on it, or nothing was found."""

MARKS: dict[Status, str] = {"pass": "✓", "fail": "✗", "unverified": "–"}


@dataclass(frozen=True)
class Quantity:
    """The finding and the bound as numbers, for programs: ``value`` is None where nothing was found."""

    value: float | None
    bound: float
    unit: str


@dataclass(frozen=True)
class Clause:
    """A clause of the contract, judged."""

    name: str
    status: Status
    required: str
    found: str
    basis: Basis
    quantity: Quantity | None = None
    steps: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """The clause as text: one line, and an indented one for each step of a derivation."""
        found = self.found if self.basis == "none" else f"found {self.found}"
        first = f"{MARKS[self.status]} {self.name}: required {self.required}; {found}"
        return [first, *(f"    {step}" for step in self.steps)]

    def to_json(self) -> dict[str, Any]:
        """The clause for programs; the keys are part of the published schema."""
        quantity = self.quantity
        return {
            "name": self.name,
            "status": self.status,
            "basis": self.basis,
            "required": self.required,
            "found": self.found,
            "value": quantity.value if quantity else None,
            "bound": quantity.bound if quantity else None,
            "unit": quantity.unit if quantity else None,
            "steps": list(self.steps),
        }


def status_of(holds: bool) -> Status:
    """``"pass"`` or ``"fail"``."""
    return "pass" if holds else "fail"


def names_of(clauses: Sequence[Clause], status: Status) -> str:
    """The names of the clauses with a status, in one line."""
    return ", ".join(clause.name for clause in clauses if clause.status == status)

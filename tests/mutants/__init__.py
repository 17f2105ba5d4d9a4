"""Planted mistakes: what students really hand in, each of which some case must catch.

A mutant names the exercise that it answers wrongly and the first part that must fail: ``"values"`` for a mistake on
ordinary inputs, ``"edges"`` for one that ordinary inputs do not show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True)
class Mutant:
    """A wrong answer to one exercise; ``fails`` is the first part that it must lose."""

    exercise: str
    fails: str
    function: Function

    @property
    def label(self) -> str:
        """``"unravel: the first axis turns fastest"``, for test ids."""
        return f"{self.exercise}: {self.function.__doc__}"


MUTANTS: list[Mutant] = []


def mutant(exercise: str, fails: str = "values") -> Callable[[Function], Function]:
    """Enter a wrong answer; its docstring says what the mistake is."""

    def enter(function: Function) -> Function:
        MUTANTS.append(Mutant(exercise, fails, function))
        return function

    return enter

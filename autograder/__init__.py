"""Everything that builds, checks and grades: release, check (in the notebook), grade and the hardware contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.feedback import check

__all__ = ["check"]


def __getattr__(name: str) -> Any:
    # Loaded on first use: the contract's scripts import this package and need none of the grading code.
    if name == "check":
        from autograder.feedback import check

        return check
    raise AttributeError(f"module 'autograder' has no attribute {name!r}")

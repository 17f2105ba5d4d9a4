"""Part of a student's copy, as ``solutions/lend.py``: where the course's code is blank, it borrows from the notebook.

The last experiments of a chapter call the course's own trainer, which calls the functions that the chapter asks for.
In a student's copy these are blank. Once the notebook defines them, the trainer runs on the student's own.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def lent(blank: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Call the notebook's function of the same name; ``blank`` itself, which raises, while there is none."""

    @functools.wraps(blank)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        own: Callable[Parameters, Result] | None = getattr(sys.modules.get("__main__"), blank.__name__, None)
        return (blank if own is None or own is call else own)(*args, **kwargs)

    return call

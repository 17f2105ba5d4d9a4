"""The vocabulary of a graded exercise: a call, what it must give back, and what to say when it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Union

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Probe:
    """A function argument that cannot travel as bytes: the name of one of the runner's own, with its arrays.

    ``Probe("cubic", (c,))`` becomes ``f(x) = sum(c * x**3)`` in the process that runs the student's code.
    """

    name: str
    arrays: tuple[Array, ...] = ()


Value = Union[Array, int, float, str, bool, None, "tuple[Value, ...]", "list[Value]", Probe]


@dataclass(frozen=True)
class Case:
    """One call of the student's function.

    Attributes:
        title: what is tried, for people: ``"ragged: [3, 7] times [7, 5]"``.
        args: positional arguments; arrays keep dtype, shape and strides (a transposed view arrives as one).
        expected: what the call must return (float64 reference; tuples compare element by element). Ignored when
            ``raises`` is set.
        read_back: positions of arguments that the function fills or changes in place; their expected contents
            follow in ``expected_args``, in the same order.
        raises: name of the exception type that the call must raise, e.g. ``"ValueError"``.
        rtol: bound on ‖got − expected‖ / ‖expected‖ for floating-point arrays and numbers (integers, booleans
            and strings must be equal). NaN never equals NaN unless ``nan_equal``.
        dtype: the dtype that a returned array must have, or None for any of the right kind.
        part: exercises may be worth points in parts; the first part named by an exercise is its core.
        advice: one sentence shown when this case fails: what kind of mistake it usually is.
    """

    title: str
    args: tuple[Value, ...]
    expected: Value = None
    read_back: tuple[int, ...] = ()
    expected_args: tuple[Array, ...] = ()
    raises: str | None = None
    rtol: float = 1e-5
    dtype: str | None = None
    nan_equal: bool = False
    part: str = "values"
    advice: str = ""


@dataclass(frozen=True)
class ExerciseCases:
    """All cases of one exercise.

    Attributes:
        exercise: where the reference stands, ``"solutions/matmul.py::matmul_rank1"``; the book names the same.
        build: makes the cases from a random generator: fresh, unequal, ragged inputs at every call.
        parts: part name → share of the points (shares add up to 1). A later part counts only when the first, the
            core, has passed: nobody gets marks for edge cases alone.
        forbidden: names that the index path avoids, e.g. ``("dot", "matmul", "@")``; found in the AST of the
            student's function, and switched off while it runs.
    """

    exercise: str
    build: Callable[[np.random.Generator], Sequence[Case]]
    parts: dict[str, float] = field(default_factory=lambda: {"values": 1.0})
    forbidden: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The function's bare name, ``"matmul_rank1"``."""
        return self.exercise.rpartition("::")[2]

    @property
    def bound_name(self) -> str:
        """The name that the student's cell gives to the answer: the function's own."""
        return self.name

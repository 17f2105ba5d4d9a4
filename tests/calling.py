"""Calling a function with a case's arguments, in this process: what the runner does, without the process around it."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograder.cases import registry
from autograder.cases.case import Case, ExerciseCases, Probe, Value
from autograder.cases.compare import Outcome, Raised, judge
from autograder.grade import probes, wire

Function = Callable[..., Any]

EXERCISES = [
    cases
    for chapter in registry.chapters()
    for cases in registry.for_chapter(chapter)
    if isinstance(cases, ExerciseCases)
]
"""Functions; kernels have tests of their own."""
BY_NAME = {cases.name: cases for cases in EXERCISES}


def reference(exercise: ExerciseCases) -> Function:
    """The function of ``solutions/`` that the exercise names."""
    path, _, name = exercise.exercise.partition("::")
    return getattr(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)


def built(exercise: ExerciseCases, seed: int) -> Sequence[Case]:
    """The cases that one seed makes."""
    return exercise.build(np.random.default_rng(seed))


def fresh(value: Value) -> Any:
    """An argument as it arrives in the student's process: packed and unpacked, strides kept, probes made functions."""
    packer = wire.Packer(keep_strides=True)
    spec = wire.FunctionSpec(value.name, value.arrays) if isinstance(value, Probe) else value
    node = packer.pack(spec)
    arrived = wire.unpack(node, b"".join(packer.chunks))
    return probes.build(arrived.name, arrived.arrays) if isinstance(arrived, wire.FunctionSpec) else arrived


def failure(function: Function, case: Case) -> str | None:
    """None if ``function`` does what the case asks, otherwise what the student would read."""
    arguments = tuple(fresh(argument) for argument in case.args)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # wrong answers may divide by zero
            returned = function(*arguments)
    except Exception as error:
        kinds = tuple(kind.__name__ for kind in type(error).__mro__)
        return judge(case, Outcome(raised=Raised(kinds, f"{type(error).__name__}: {error}")))
    return judge(case, Outcome(returned, arguments))


def failures(function: Function, cases: Sequence[Case]) -> list[tuple[Case, str]]:
    """Every case that ``function`` does not pass, with what the student would read."""
    return [(case, message) for case in cases if (message := failure(function, case)) is not None]


def core(exercise: ExerciseCases) -> str:
    """The part without which no other counts: the first one named."""
    return next(iter(exercise.parts))

"""``check`` in the student's notebook: the grader's cases on the student's answer, with the first difference shown.

The verdict is the grader's own: the same cases, the same comparison of plain values, the same names switched off. Only
the process differs: functions run in the notebook, so that a student can print and debug. For kernels see
``kernels.feedback``.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import itertools
import textwrap
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograder.cases import registry
from autograder.cases.case import Case, ExerciseCases
from autograder.cases.compare import Outcome, Raised, judge
from autograder.cases.kernel_case import KernelCase, KernelExercise
from autograder.cases.kernel_compare import NOT_TRIED
from autograder.cases.registry import Exercise
from autograder.grade import probes, scoring, wire
from autograder.grade.cells import has_blank
from autograder.grade.grading import build_cases, fresh_seed
from autograder.grade.index_path import forbidden_objects, scan, switched_off
from autograder.grade.released import points_in_book
from autograder.grade.runner import described
from autograder.grade.session import call_request
from solutions.errors import CourseError

PUBLIC_SEED = 1
"""The inputs that everybody sees; each check tries fresh ones too."""

SLOW_SECONDS = 10.0
"""A case takes milliseconds; after this long a word is printed, and nothing is stopped."""

TOLD = 3
"""Failed cases that are told in full; more would be read by nobody, and the first one explains most of them."""


def check(function: Callable[..., Any] | str) -> None:
    """Try the answer to an exercise on its cases, and print what is right and what is not.

    Args:
        function: your function, by its name alone: ``check(flat_offset)``; or the text of your kernel.
    """
    try:
        if isinstance(function, str):
            if "\n" not in function and "__global__" not in function:
                raise _no_function(function)
            from autograder.kernels.feedback import ready

            _try_cases(*ready(function))
            return
        cases = _cases_of(function)
        uses = _forbidden_uses(function, cases.forbidden)
        if uses:
            raise CourseError(f"{cases.name}: {uses[0]}\n    This exercise is to be solved without it.")
        _try_cases(cases, partial(_message, function, cases))
    except CourseError as error:
        print(error)


def _cases_of(function: Callable[..., Any]) -> ExerciseCases:
    if not (isinstance(function, (FunctionType, type)) or (callable(function) and hasattr(function, "__name__"))):
        raise _no_function(function)
    cases = registry.by_name(function.__name__)
    if isinstance(cases, KernelExercise):
        raise CourseError(f"{cases.name} is a kernel: write check({cases.bound_name}), with the kernel's text")
    return cases


def _no_function(value: object) -> CourseError:
    return CourseError(
        f"check takes a function, not a value of type {type(value).__name__}: "
        "write check(flat_offset), with the name alone and no brackets after it"
    )


def _message(function: Callable[..., Any], cases: ExerciseCases, case: Case) -> str | None:
    """What is wrong with a function's answer to one case; None if nothing is.

    Raises:
        CourseError: the blank is still there.
    """
    outcome = _call(function, case, cases.forbidden)
    unfilled = outcome.raised.unfilled if outcome.raised else ""
    if unfilled and (unfilled == cases.name or _has_blank(function, cases.name)):
        raise CourseError(
            f"{cases.name}: not yet. The blank is waiting: put your lines in place of raise NotImplementedError."
        )
    return judge(case, outcome)


def _try_cases(cases: Exercise, message_of: Callable[[Any], str | None]) -> None:
    """Run each case with the public and with fresh inputs; a case has passed if both have."""
    try:
        _tell_cases(cases, message_of)
    except KeyboardInterrupt:
        print(f"{cases.name}: stopped before the end.")


def _tell_cases(cases: Exercise, message_of: Callable[[Any], str | None]) -> None:
    passed: dict[str, list[bool]] = {part: [] for part in cases.parts}
    lines: list[str] = []
    told: set[str] = set()
    both: Iterable[tuple[Any, Any]] = zip(
        build_cases(cases, PUBLIC_SEED), build_cases(cases, fresh_seed()), strict=True
    )
    for public, fresh in both:
        for case in (public, fresh):
            with _word_when_slow(case):
                message = message_of(case)
            if message is not None:
                break
        passed[public.part].append(message is None)
        if message is None:
            lines.append(f"  ✓ {public.title}")
        else:
            lines += _failure(case, message, told)
    print("\n".join(lines))
    print(_summary(cases, passed))


def _has_blank(function: Callable[..., Any], name: str) -> bool:
    with contextlib.suppress(OSError, SyntaxError, TypeError):
        return has_blank(ast.parse(textwrap.dedent(inspect.getsource(function))), name)
    return False


def _failure(case: Case | KernelCase, message: str, told: set[str]) -> list[str]:
    """A failed case: its title, and what is wrong unless enough was ``told`` already."""
    title = f"  ✗ {case.title}"
    first = message.splitlines()[0]
    if first in told:
        return [f"{title}: as above"]
    if message == NOT_TRIED or len(told) >= TOLD:
        return [f"{title}: {NOT_TRIED}" if message == NOT_TRIED else title]
    told.add(first)
    advice = [f"      → {case.advice}"] if case.advice else []
    return [title, *(f"      {line}" for line in message.splitlines()), *advice]


def _summary(cases: Exercise, passed: dict[str, list[bool]]) -> str:
    """``"flat_offset: 6 of 6 cases passed · 5 of 5 points"``; without points where nothing tells them."""
    every = list(itertools.chain.from_iterable(passed.values()))
    summary = f"{cases.name}: {sum(every)} of {len(every)} cases passed"
    worth = points_in_book(cases.exercise)
    if worth is None:
        return summary
    points = scoring.part_points(cases.parts, {part: all(results) for part, results in passed.items()}, worth)
    core = next(iter(cases.parts))
    note = "" if all(passed[core]) or not any(every) else " (the first cases come first: the others count on top)"
    return f"{summary} · {scoring.shown(scoring.total(list(points.values())))} of {scoring.shown(worth)} points{note}"


# --- one call -----------------------------------------------------------------------------------------------------


def _call(function: Callable[..., Any], case: Case, forbidden: tuple[str, ...]) -> Outcome:
    """Call ``function`` with arguments of its own, and look at plain copies of what it leaves behind, as the grader."""
    request, chunks = call_request(case.title, case, forbidden)
    arguments = [_argument(node, b"".join(chunks)) for node in request["arguments"]]
    try:
        with switched_off(forbidden):
            returned = function(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Outcome(raised=_raised(error, function))
    return Outcome(_plain(returned), tuple(_plain(a if isinstance(a, np.ndarray) else None) for a in arguments))


def _argument(node: wire.Node, payload: bytes) -> Any:
    value = wire.unpack(node, payload)
    return probes.build(value.name, value.arrays) if isinstance(value, wire.FunctionSpec) else value


def _plain(value: object) -> Any:
    packer = wire.Packer()
    node = packer.pack(value)
    return wire.unpack(node, b"".join(packer.chunks))


def _raised(error: BaseException, function: Callable[..., Any]) -> Raised:
    """The exception, and the innermost line of the student's code that it came through."""
    told = described(error)
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return Raised(tuple(told["kinds"]), told["text"], f"line {lines[-1]}" if lines else "", told["unfilled"])


@contextlib.contextmanager
def _word_when_slow(case: Case | KernelCase) -> Iterator[None]:
    word = f"… still at “{case.title}” after {SLOW_SECONDS:.0f} s. Does a loop never end? The stop button (■) ends it."
    timer = threading.Timer(SLOW_SECONDS, print, [word])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


# --- what the exercise forbids ------------------------------------------------------------------------------------


def _forbidden_uses(function: Callable[..., Any], forbidden: tuple[str, ...]) -> list[str]:
    """Where the function, or one of the notebook's that it calls, uses what is forbidden, in words."""
    saved = forbidden_objects(forbidden)
    uses: list[str] = []
    for own in _own_functions(function) if forbidden else ():
        with contextlib.suppress(OSError, SyntaxError, TypeError):  # no source, as for functions made with exec
            lines, first = inspect.getsourcelines(own)
            for violation in scan(textwrap.dedent("".join(lines)), forbidden):
                uses.append(f"line {max(first, 1) - 1 + violation.line} uses {violation.name}: {violation.code}")
        for name in _names_in(own.__code__):
            if id(own.__globals__.get(name)) in saved:
                uses.append(f"{own.__name__} uses {saved[id(own.__globals__[name])]}, under the name {name}")
    return uses


def _own_functions(function: Callable[..., Any]) -> list[FunctionType]:
    """The function, and the functions of the same module that it reaches by name."""
    found: list[FunctionType] = []
    waiting: list[object] = [function]
    while waiting:
        candidate = waiting.pop()
        own = isinstance(candidate, FunctionType) and candidate.__module__ == function.__module__
        if isinstance(candidate, FunctionType) and own and candidate not in found:
            found.append(candidate)
            waiting += (candidate.__globals__.get(name) for name in _names_in(candidate.__code__))
    return found


def _names_in(code: CodeType) -> set[str]:
    inner = (_names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)

"""Verdicts on launches, without launching: budgets, faults, hangs; and replies of a process that lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any

import numpy as np
import pytest

import kernels
from autograder.cases.inputs import poisoned
from autograder.cases.kernel_case import (
    COUNTERS,
    KernelCase,
    KernelExercise,
    Launch,
    at_least,
    at_most,
    budget,
    clean,
    result,
)
from autograder.cases.kernel_compare import NOT_TRIED, OTHER_ORDER, Run, Trial, measured, verdict, with_line
from autograder.grade import wire
from autograder.grade.grading import build_cases
from autograder.kernels.report import FIGURE_LIMIT, launch_request, read_run
from kernels.emulator.counters import Counters
from kernels.emulator.faults import Fault
from solutions.errors import CourseError
from tests.kernel_mistakes import right
from tests.kernel_samples import BY_NAME, EXERCISES

X = np.arange(4, dtype=np.float32)
LAUNCH = Launch((1,), (4,), {"x": X, "out": poisoned(4), "n": 4}, {"out": 2.0 * X})
RIGHT = {"x": X, "out": (2 * X).astype(np.float32)}
TEXT = "one\ntwo\nthree\n"
RACE = Fault("shared-race", 2, "line 2: k: race on part[0]: …", "k", other_line=3)
OUTSIDE = Fault("global-out-of-bounds", 3, "line 3: k: thread (9, 0, 0) …", "k")
HANG = Fault("time-out", 1, "line 1: k: thread (0, 0, 0) … was still running here", "k")


def always(run: Run) -> Callable[[int], Run]:
    """The same run in any order."""
    return lambda order: run


@pytest.fixture(name="counters", scope="module")
def _counters() -> Counters:
    """What the transposition through a tile with conflicts costs."""
    text = right("sample_transpose").replace("TILE + 1", "TILE")
    launch = next(c.launch for c in BY_NAME["sample_transpose"].build(np.random.default_rng(0)) if c.part == "banks")
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in launch.args.values()]
    kernel = kernels.load(text, target="emulator")["sample_transpose"]
    return kernel.inspect(launch.grid, launch.block, arguments).counters


# --- launches and cases ---------------------------------------------------------------------------------------------


def test_a_launch_must_ask_for_something_that_is_not_there_yet() -> None:
    with pytest.raises(CourseError, match="expects out as it goes in: poison outputs"):
        Launch((1,), (4,), {"out": X.copy()}, {"out": X})
    with pytest.raises(CourseError, match="expects nothing as it goes in"):
        Launch((1,), (4,), {"out": X.copy()}, {})
    with pytest.raises(CourseError, match=r"expects out of shape \[4\], which is not what goes in"):
        Launch((1,), (4,), {"out": poisoned(5)}, {"out": X})
    with pytest.raises(CourseError, match=r"expects y of shape \[4\]"):
        Launch((1,), (4,), {"out": poisoned(4)}, {"out": X, "y": X})


def test_a_counter_must_be_known() -> None:
    with pytest.raises(CourseError, match="there is no counter 'sectors'; there are: global_load_requests, "):
        at_most("sectors", 3)


def test_an_exercise_needs_a_clean_case_and_its_own_parts() -> None:
    def build(rng: np.random.Generator) -> list[KernelCase]:
        return [result("r", LAUNCH, "")]

    with pytest.raises(CourseError, match=r"no case of kernels/k.cu::k is clean: a kernel that races would pass"):
        build_cases(KernelExercise("kernels/k.cu::k", build, {"values": 1.0}), 1)
    with pytest.raises(CourseError, match="do not match its parts: values, clean"):
        build_cases(KernelExercise("kernels/k.cu::k", build), 1)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_the_parts_add_up_and_inputs_come_again(exercise: KernelExercise) -> None:
    assert sum(exercise.parts.values()) == pytest.approx(1.0)
    first, again, other = (build_cases(exercise, seed) for seed in (5, 5, 6))
    assert all(np.array_equal(first[0].launch.args["a"], c.launch.args["a"]) for c in again[:1])
    assert not np.array_equal(first[0].launch.args["a"], other[0].launch.args["a"])


# --- verdicts -------------------------------------------------------------------------------------------------------


def test_right_values_pass_and_the_first_difference_is_told() -> None:
    case = result("r", LAUNCH, "")
    assert verdict(case, always(Run(RIGHT)), TEXT) is None
    wrong = {**RIGHT, "out": np.float32([0, 2, 5, 6])}
    assert (verdict(case, always(Run(wrong)), TEXT) or "").startswith("out after the launch: wrong at [2]: got 5.0")
    changed = {**RIGHT, "x": X + 1}
    assert verdict(case, always(Run(changed)), TEXT) == "it changed x, which is only to be read"
    assert verdict(case, always(Run({"x": X})), TEXT) is not None
    assert verdict(case, always(Run({**RIGHT, "out": RIGHT["out"].astype(np.float64)})), TEXT) is not None


def test_a_race_costs_the_clean_case_alone_and_what_ends_a_launch_costs_both() -> None:
    race, outside = Run(RIGHT, [RACE]), Run(RIGHT, [RACE, OUTSIDE])
    assert verdict(result("r", LAUNCH, ""), always(race), TEXT) is None
    told = verdict(clean("c", LAUNCH, ""), always(race), TEXT)
    assert told == "line 2: k: race on part[0]: …\n     2 | two\n     3 | three"
    ended = "line 3: k: thread (9, 0, 0) …\n     3 | three"
    assert verdict(result("r", LAUNCH, ""), always(outside), TEXT) == ended
    assert verdict(clean("c", LAUNCH, ""), always(outside), TEXT) == ended


def test_other_orders_are_run_while_all_is_right() -> None:
    seen = []

    def run(order: int) -> Run:
        seen.append(order)
        return Run(RIGHT, [RACE] if order == 1 else [])

    told = verdict(clean("c", LAUNCH, ""), run, TEXT) or ""
    assert seen == [0, 1]
    assert told.splitlines()[:2] == [OTHER_ORDER, RACE.message]
    assert verdict(clean("c", LAUNCH, "", orders=(0, 5)), run, TEXT) is None
    assert seen == [0, 1, 0, 5]


def test_a_refused_launch_says_why() -> None:
    refused = Run({}, refused="k takes 2 arguments")
    assert verdict(result("r", LAUNCH, ""), always(refused), TEXT) == "k takes 2 arguments"


@pytest.mark.parametrize("hung", [Run(RIGHT, [HANG]), Run({}, refused="no result after 9 s", ended=True)])
def test_what_hangs_is_not_tried_again(hung: Run) -> None:
    exercise = KernelExercise("kernels/k.cu::k", lambda rng: [], {"values": 0.5, "clean": 0.3, "cost": 0.2})
    counted = budget("b", LAUNCH, [], "")

    def message_after(order_that_hangs: int, cases: list[KernelCase]) -> list[str | None]:
        trial = Trial(exercise, lambda launch, order: hung if order == order_that_hangs else Run(RIGHT), TEXT)
        return [trial.message(case) for case in cases]

    core = message_after(0, [result("r", LAUNCH, ""), clean("c", LAUNCH, ""), counted])
    assert core[0] not in (None, NOT_TRIED)
    assert core[1:] == [NOT_TRIED, NOT_TRIED]
    part = message_after(1, [result("r", LAUNCH, ""), clean("c", LAUNCH, ""), clean("d", LAUNCH, ""), counted])
    assert (part[0], part[2], part[3]) == (None, NOT_TRIED, None)


def test_a_line_is_shown_below_a_message_that_begins_with_it() -> None:
    assert with_line("line 2: no", TEXT) == "line 2: no\n     2 | two"
    assert with_line("line 9: no", TEXT) == "line 9: no"
    assert with_line("no line 2: no", TEXT) == "no line 2: no"


# --- budgets --------------------------------------------------------------------------------------------------------


def test_counters_are_those_of_the_emulator(counters: Counters) -> None:
    own = {name: getattr(counters, name) for name in COUNTERS if hasattr(counters, name)}
    assert len(own) >= 12
    assert {name: measured(name, counters) for name in own} == own
    assert measured("global_sectors", counters) == counters.global_load_sectors + counters.global_store_sectors == 1536
    assert measured("global_load_sectors_per_request", counters) == 4
    assert measured("shared_conflicts", counters) == counters.shared_load_conflicts + counters.shared_store_conflicts


def test_nothing_requested_costs_nothing() -> None:
    names = {field.name for field in fields(Counters)}
    nothing = Counters(**{name: () if name in ("lines", "branches") else 0 for name in names})
    assert {measured(name, nothing) for name in COUNTERS} == {0}


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_bound_holds_at_its_figure_and_not_beyond(counter: str, counters: Counters) -> None:
    def told(bound: Any) -> str | None:
        return verdict(budget("b", LAUNCH, [bound], ""), always(Run(RIGHT, (), counters)), "x\n" * 20)

    value = measured(counter, counters)
    assert told(at_most(counter, value)) is None
    assert told(at_least(counter, value)) is None
    over, under = told(at_most(counter, value - 1, "Why so.")), told(at_least(counter, value + 0.5))
    assert (over or "").splitlines()[:2] == [
        f"{counter} is {value:,.10g}, to be at most {value - 1:,.10g} ({COUNTERS[counter]})", "Why so."
    ]
    assert (under or "").startswith(f"{counter} is {value:,.10g}, to be at least ")


def test_wrong_values_come_before_costs(counters: Counters) -> None:
    case = budget("b", LAUNCH, [at_most("barriers", -1)], "")
    assert "out after" in (verdict(case, always(Run({**RIGHT, "out": poisoned(4)}, (), counters)), TEXT) or "")
    assert verdict(case, always(Run(RIGHT)), TEXT) == "the launch was not counted"


# --- what comes back from the process ---------------------------------------------------------------------------------


def honest(counters: Counters) -> tuple[dict[str, Any], bytes]:
    """A reply as the runner sends it."""
    packer = wire.Packer()
    nodes = [packer.pack(RIGHT["x"]), packer.pack(RIGHT["out"]), packer.pack(None)]
    header = {"arguments": nodes, "faults": [asdict(RACE)], "counters": asdict(counters)}
    return wire.read_header(wire.frame(header, [])[8:]), b"".join(packer.chunks)


def test_an_honest_reply_is_read(counters: Counters) -> None:
    run = read_run(*honest(counters), LAUNCH)
    assert np.array_equal(run.arrays["out"], RIGHT["out"])
    assert list(run.faults) == [RACE]
    assert run.counters == counters
    request, chunks = launch_request(LAUNCH, 5)
    assert (request["order"], len(chunks)) == (5, 2)
    assert "expected" not in str(request)


LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no arguments": lambda reply: reply.pop("arguments"),
    "an argument less": lambda reply: reply["arguments"].pop(),
    "no faults": lambda reply: reply.pop("faults"),
    "faults in words": lambda reply: reply.update(faults="none"),
    "a flood of faults": lambda reply: reply.update(faults=reply["faults"] * 3000),
    "a fault of nothing": lambda reply: reply.update(faults=[{}]),
    "a fault with more": lambda reply: reply["faults"][0].update(more=1),
    "a line in words": lambda reply: reply["faults"][0].update(line="7"),
    "a thread of a text": lambda reply: reply["faults"][0].update(thread="abc"),
    "no counters": lambda reply: reply.pop("counters"),
    "counters of a list": lambda reply: reply.update(counters=[]),
    "true barriers": lambda reply: reply["counters"].update(barriers=True),
    "half a barrier": lambda reply: reply["counters"].update(barriers=0.5),
    "a figure without end": lambda reply: reply["counters"].update(barriers=FIGURE_LIMIT),
    "a line less": lambda reply: reply["counters"]["lines"][0].pop("sectors"),
    "sectors in words": lambda reply: reply["counters"]["lines"][0].update(sectors="0"),
    "lines of a number": lambda reply: reply["counters"].update(lines=3),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=list(LIES))
def test_a_reply_that_is_none_is_refused(lie: Callable[[dict[str, Any]], Any], counters: Counters) -> None:
    reply, payload = honest(counters)
    lie(reply)
    with pytest.raises(wire.WireError):
        read_run(reply, payload, LAUNCH)


def test_words_of_a_reply_are_made_plain(counters: Counters) -> None:
    reply, payload = honest(counters)
    reply["faults"][0]["message"] = "a\x1b[31m\nb" + "c" * 10_000
    message = read_run(reply, payload, LAUNCH).faults[0].message
    assert message.startswith("a [31m b")
    assert len(message) <= 400

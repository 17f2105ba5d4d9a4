"""The emulator's check finds every planted mistake, where it is, in every order, and says nothing of right kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kernels
from kernels.emulator import toolchain
from kernels.emulator.faults import KINDS, Fault
from kernels.errors import KernelFault
from kernels.module import Module
from tests.planted import FOLDER, Planted, problems, read_marks
from tests.planted_faulty import FAULTY
from tests.planted_right import RIGHT

FAULTY_ORDERS = (0, 1, 5)
RIGHT_ORDERS = range(8)
BY_NAME = {case.name: case for case in (*FAULTY, *RIGHT)}


def load(case: Planted) -> Module:
    """The kernel in a process of its own: some of them crash, overflow a stack or never end."""
    return kernels.load(case.path, target="emulator", isolate=True)


@pytest.fixture(params=[1, 2], ids=["one worker", "two workers"])
def workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks on one CPU or shared by two, whatever this machine has: what is found must not depend on it."""
    monkeypatch.setattr(toolchain, "worker_count", lambda: request.param)


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case.name)
def test_mistake_is_found_where_it_is(case: Planted) -> None:
    module = load(case)
    for order in FAULTY_ORDERS:
        report, arguments = case.inspect(module, order)
        assert problems(case, report.faults, arguments) == [], f"order {order}"


@pytest.mark.usefixtures("workers")
@pytest.mark.parametrize("case", RIGHT, ids=lambda case: case.name)
def test_right_kernel_is_left_alone(case: Planted) -> None:
    module = load(case)
    assert case.reference is not None
    right = case.reference(case.fresh())
    for order in RIGHT_ORDERS:
        report, arguments = case.inspect(module, order)
        assert problems(case, report.faults, arguments) == [], f"order {order}"
        for name, expected in right.items():
            found = np.sort(arguments[name]) if name in case.unordered else arguments[name]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=f"{name}, order {order}")


def first_of_each_kind() -> list[Planted]:
    """A case of each kind that a plain launch looks for; NaN is looked for only on request."""
    kinds = {case.expected.kind: case for case in reversed(FAULTY) if case.expected is not None}
    return [case for kind, case in kinds.items() if kind not in ("nan", "time-out")]


@pytest.mark.parametrize("case", first_of_each_kind(), ids=lambda case: case.name)
def test_launch_raises_the_fault(case: Planted) -> None:
    kernel = load(case)[case.name]
    assert case.expected is not None
    with pytest.raises(KernelFault, match=rf"^line \d+: {case.name}: ") as raised:
        kernel(case.grid, case.block, list(case.fresh().values()), case.shared)
    assert (case.expected.kind, raised.value.faults[0].line) in {
        (fault.kind, fault.line) for fault in raised.value.faults if fault.line in case.expected.lines
    }


def test_hundredth_fault_is_told_like_the_first() -> None:
    """A launch that is stopped leaves 1,024 threads in the middle; their stacks must not pile up until none is left."""
    case = BY_NAME["column_sum_guard_of_matrix"]
    module = load(case)
    said = [[fault.message for fault in case.inspect(module, order=0)[0].faults] for _ in range(100)]
    assert said == [said[0]] * 100


# ---- the suite itself ----------------------------------------------------------------------------------------------
def test_every_kind_is_planted_and_every_file_is_a_case() -> None:
    assert {case.expected.kind for case in FAULTY if case.expected} == set(KINDS) - {""}
    assert {path.stem for path in FOLDER.glob("*.cu")} == set(BY_NAME)
    assert len(BY_NAME) == len(FAULTY) + len(RIGHT)
    assert len(FAULTY) >= 36
    assert len(RIGHT) >= 24


@pytest.mark.parametrize("case", BY_NAME.values(), ids=lambda case: case.name)
def test_text_says_what_is_wrong(case: Planted) -> None:
    text = case.path.read_text(encoding="utf-8")
    assert text.startswith("// ")
    assert f"void {case.name}(" in text
    assert (case.expected is None) == case.name.startswith("right_") == (case.reference is not None)
    assert max(map(len, text.splitlines())) <= 120


def test_marks_of_a_text() -> None:
    expected = read_marks("a;  // FAULT: shared-race left right\nb;  // OR\nc;  // OR  // ALSO: uninitialised-shared\n")
    assert expected is not None
    assert (expected.kind, expected.arrays) == ("shared-race", ("left", "right"))
    assert (expected.lines, expected.also) == (frozenset({1, 2, 3}), frozenset({("uninitialised-shared", 3)}))
    assert read_marks("// nothing FAULTy OR wrong\n") is None


@pytest.mark.parametrize("text", ["a;  // FAULT: slip", "a;  // OR", "a;  // FAULT: nan x\nb;  // FAULT: crash"])
def test_marks_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(ValueError, match=r"kind of fault|one FAULT"):
        read_marks(text)


RACE = BY_NAME["row_scratch_overwritten"]
SEEN = Fault(
    kind="shared-race", line=9, kernel=RACE.name, thread=(3, 0, 0), block=(1, 0, 0), array="scratch", element=3,
    other_line=13, other_thread=(0, 0, 0),
    message=f"line 9: {RACE.name}: race on scratch[3]: thread (3, 0, 0) of block (1, 0, 0) writes it here",
)
"""What the emulator rightly says of RACE."""


def test_right_report_has_no_problem() -> None:
    assert problems(RACE, [SEEN], RACE.fresh()) == []


@pytest.mark.parametrize(
    ("faults", "said"),
    [
        ([], "no shared-race at the lines"),
        ([replace(SEEN, line=10)], "no shared-race at the lines"),
        ([replace(SEEN, kind="global-race")], "no shared-race at the lines"),
        ([SEEN, replace(SEEN, kind="crash", line=1)], "beside the mistake"),
        ([replace(SEEN, array="tile")], "tile is named"),
        ([replace(SEEN, other_line=8)], "line 8 is named as the other party"),
        ([replace(SEEN, thread=(64, 0, 0))], "not of the launch"),
        ([replace(SEEN, block=None)], "not of the launch"),
        ([replace(SEEN, thread=(4, 0, 0))], "does not name thread"),
        ([replace(SEEN, message=SEEN.message.replace("scratch[", "it["))], "does not name scratch"),
        ([replace(SEEN, message=SEEN.message.replace("line 9", "line 8"))], "begins with line and kernel"),
        ([replace(SEEN, message=SEEN.message + "\nmore")], "one line"),
    ],
)
def test_wrong_report_is_told_apart(faults: list[Fault], said: str) -> None:
    assert any(said in problem for problem in problems(RACE, faults, RACE.fresh()))


def test_element_inside_the_array_is_a_problem() -> None:
    case = BY_NAME["bounds_missing"]
    message = f"line 5: {case.name}: thread (0, 0, 0) of block (0, 0, 0) reads x[0]"
    fault = Fault("global-out-of-bounds", 5, message, case.name, (0, 0, 0), (0, 0, 0), "x", 0)
    assert any("inside of x" in problem for problem in problems(case, [fault], case.fresh()))
    assert problems(case, [replace(fault, element=250)], case.fresh()) == []


def test_any_fault_of_a_right_kernel_is_a_problem() -> None:
    case = BY_NAME["right_tree_reduction"]
    assert len(problems(case, [SEEN], case.fresh())) == 1

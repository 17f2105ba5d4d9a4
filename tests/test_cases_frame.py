"""What every exercise's cases must be, whatever they test: complete, fresh, fair, quick and well spoken."""

from __future__ import annotations

import ast
import inspect
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.cases.case import Case, ExerciseCases, Probe
from autograder.cases.inputs import away_from_zero, floats, ragged_sizes
from autograder.grade.index_path import INDEX_PATH
from tests.calling import EXERCISES, built, core, failure, fresh, reference

ROOT = Path(__file__).resolve().parent.parent
SEEDS = (0, 1, 2)
MARKERS = ("### BEGIN SOLUTION", "### END SOLUTION")

each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


def solution_lines(exercise: ExerciseCases) -> list[str]:
    """Lines of the reference between its markers, long enough to give something away."""
    body = inspect.getsource(reference(exercise)).partition(MARKERS[0])[2].partition(MARKERS[1])[0]
    return [line.strip() for line in body.splitlines() if len(line.strip()) >= 12]


def test_every_marked_function_has_cases_and_every_exercise_a_function():
    marked = set()
    for path in sorted((ROOT / "solutions").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and MARKERS[0] in (ast.get_source_segment(source, node) or ""):
                marked.add(f"solutions/{path.name}::{node.name}")
    assert {exercise.exercise for exercise in EXERCISES} == marked


@each
def test_parts_share_the_points_and_all_have_cases(exercise):
    assert sum(exercise.parts.values()) == pytest.approx(1.0)
    assert all(share > 0 for share in exercise.parts.values())
    for seed in SEEDS:
        cases = built(exercise, seed)
        assert list(dict.fromkeys(case.part for case in cases)) == list(exercise.parts)


@each
def test_core_comes_first_and_stands_on_two_cases_at_least(exercise):
    parts = [case.part for case in built(exercise, 0)]
    assert all([case.part for case in built(exercise, seed)] == parts for seed in SEEDS)  # case by case the same
    assert parts.count(core(exercise)) >= 2
    assert parts == sorted(parts, key=list(exercise.parts).index)


@each
def test_titles_differ_and_advice_is_a_sentence(exercise):
    for seed in SEEDS:
        cases = built(exercise, seed)
        assert len({case.title for case in cases}) == len(cases)
        for case in cases:
            assert case.advice.endswith((".", "?"))
            assert 20 <= len(case.advice) <= 125
            assert "  " not in case.advice
            assert len(case.title) <= 90


@each
def test_arguments_travel_unchanged(exercise):
    """Values, dtypes and strides arrive in the student's process as they were built; nothing is a NumPy number."""
    for case in built(exercise, 4):
        for argument in case.args:
            if isinstance(argument, np.ndarray):
                arrived = fresh(argument)
                assert (arrived.dtype, arrived.shape, arrived.strides) == (
                    argument.dtype,
                    argument.shape,
                    argument.strides,
                )
                assert arrived.flags.writeable
                assert arrived.tobytes() == argument.tobytes()
            elif not isinstance(argument, Probe):
                assert type(argument) in (int, float, str, tuple)
                assert fresh(argument) == argument


@each
def test_advice_gives_no_line_of_the_solution_away(exercise):
    lines = solution_lines(exercise)
    assert lines
    for case in built(exercise, 0):
        for line in lines:
            assert line not in case.advice
            assert line not in case.title


def told(case: Case) -> tuple[bytes, ...]:
    """The arguments of a case, to compare."""
    return tuple(arg.tobytes() if isinstance(arg, np.ndarray) else repr(arg).encode() for arg in case.args)


@each
def test_two_seeds_give_other_inputs_and_one_seed_the_same(exercise):
    first, again, other = built(exercise, 10), built(exercise, 10), built(exercise, 11)
    assert [told(case) for case in first] == [told(case) for case in again]
    asked = {told(case) for case in first if case.part == core(exercise)}
    assert not asked.issubset({told(case) for case in other})


@each
@settings(max_examples=25)
@given(seed=st.integers(0, 2**64 - 1))
def test_the_reference_passes_whatever_the_seed(exercise, seed):
    for case in built(exercise, seed):
        assert failure(reference(exercise), case) is None, case.title


@each
def test_building_and_running_all_cases_is_quick(exercise):
    """0.15 s in all, the best of five, so that a busy machine is not a failure; the reference takes 13 ms at most."""
    times = []
    for seed in range(5):
        start = time.perf_counter()
        for case in built(exercise, seed):
            failure(reference(exercise), case)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.15


@each
def test_expected_values_are_worked_out_in_float64(exercise):
    """The bound is meant for the answer's rounding, not for the grader's: inputs that are left alone are themselves."""
    for case in built(exercise, 3):
        values = case.expected if isinstance(case.expected, tuple) else (case.expected,)
        for value in (*values, *case.expected_args):
            if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.dtype != np.float64:
                assert any(value is not a and np.array_equal(value, a, equal_nan=True) for a in case.args)


def test_index_path_exercises_forbid_every_ready_made_product():
    forbidding = {exercise.name for exercise in EXERCISES if set(INDEX_PATH) <= set(exercise.forbidden)}
    assert forbidding == {
        *("matmul_loops", "matmul_reordered", "matmul_rank1", "matmul_blocked"),
        *("linear_forward", "linear_backward", "softmax", "cross_entropy"),
    }


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_inputs_hide_no_wrong_index(seed, count):
    """Sizes differ and are no powers of two, values differ, and signs are never in doubt."""
    rng = np.random.default_rng(seed)
    sizes = ragged_sizes(rng, count)
    assert len(set(sizes)) == count
    assert all(size > 2 and size & (size - 1) for size in sizes)
    values = floats(rng, 5, 7)
    assert values.dtype == np.float32
    assert len(np.unique(values)) == 35
    assert floats(rng).shape == ()
    assert np.abs(away_from_zero(rng, 50)).min() >= 0.25

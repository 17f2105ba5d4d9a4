"""Verdicts on whole answers: planted mistakes are caught where they should be, right answers pass, nothing is free."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter

import numpy as np
import pytest

import tests.mutants
from autograder.cases.case import Case, ExerciseCases
from tests.calling import BY_NAME, EXERCISES, built, core, failure, failures
from tests.mutants import MUTANTS, Mutant
from tests.right_answers import RIGHT_ANSWERS

for _module in pkgutil.iter_modules(tests.mutants.__path__):
    importlib.import_module(f"tests.mutants.{_module.name}")

SEEDS = range(8)
each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.label)
def test_a_planted_mistake_is_caught_in_its_part_with_advice(mutant: Mutant):
    """Whatever the seed: a mistake in the core costs the core, one at the edges costs the edges alone."""
    exercise = BY_NAME[mutant.exercise]
    for seed in SEEDS:
        found = failures(mutant.function, built(exercise, seed))
        assert found, f"seed {seed}: nothing noticed"
        assert found[0][0].part == mutant.fails, f"seed {seed}: {found[0][0].title}: {found[0][1]}"
        assert found[0][0].advice


def test_there_are_mistakes_enough_and_each_is_another():
    planted = Counter(mutant.exercise for mutant in MUTANTS)
    assert set(planted) == set(BY_NAME)
    assert min(planted.values()) >= 9
    assert len({mutant.label for mutant in MUTANTS}) == len(MUTANTS) >= 350
    for exercise in EXERCISES:
        assert {mutant.fails for mutant in MUTANTS if mutant.exercise == exercise.name} == set(exercise.parts)


@each
def test_every_case_catches_some_planted_mistake(exercise: ExerciseCases):
    """A case that no planted mistake ever fails has nothing to say."""
    caught = set()
    for mutant in MUTANTS:
        if mutant.exercise == exercise.name:
            cases = built(exercise, 0)
            caught |= {i for i, case in enumerate(cases) if failure(mutant.function, case) is not None}
    silent = [case.title for i, case in enumerate(built(exercise, 0)) if i not in caught]
    assert not silent


@pytest.mark.parametrize(
    ("name", "function"), RIGHT_ANSWERS, ids=[f"{name}: {function.__doc__}" for name, function in RIGHT_ANSWERS]
)
def test_another_right_answer_passes(name, function):
    for seed in SEEDS:
        assert failures(function, built(BY_NAME[name], seed)) == []


def test_every_exercise_has_another_right_answer():
    assert {name for name, _ in RIGHT_ANSWERS} == set(BY_NAME)


def zeros_like_expected(case: Case) -> object:
    """Zeros of just the right shape and type: the best that can be had without working anything out."""

    def zeros(value):
        if isinstance(value, np.ndarray):
            return np.zeros(value.shape, value.dtype if value.dtype.kind in "biu" else np.float32)
        if isinstance(value, (tuple, list)):
            return type(value)(zeros(item) for item in value)
        return None if value is None else type(value)()

    return zeros(case.expected)


def unfilled(*args, **kwargs):
    raise NotImplementedError("unfilled")


@each
def test_an_unfilled_blank_passes_nothing(exercise: ExerciseCases):
    for seed in SEEDS:
        cases = built(exercise, seed)
        assert len(failures(unfilled, cases)) == len(cases)


@each
@pytest.mark.parametrize("constant", [None, 0, 0.0, 1, (), [], "", True, np.nan, np.zeros(())], ids=repr)
def test_a_constant_gets_no_core_marks(exercise: ExerciseCases, constant):
    for seed in SEEDS:
        cases = [case for case in built(exercise, seed) if case.part == core(exercise)]
        assert failures(lambda *args: constant, cases)


@each
def test_zeros_of_the_right_shape_get_no_core_marks(exercise: ExerciseCases):
    for seed in SEEDS:
        cases = [case for case in built(exercise, seed) if case.part == core(exercise)]
        assert any(failure(lambda *args, case=case: zeros_like_expected(case), case) for case in cases)


@each
@pytest.mark.parametrize("position", [0, 1, -1])
def test_an_argument_handed_back_gets_no_core_marks(exercise: ExerciseCases, position):
    for seed in SEEDS:
        cases = [case for case in built(exercise, seed) if case.part == core(exercise)]
        assert failures(lambda *args: args[min(position, len(args) - 1)], cases)


@each
def test_the_answers_of_another_seed_get_no_core_marks(exercise: ExerciseCases):
    """Learning the expected values by heart does not help."""
    for seed in SEEDS:
        remembered = iter(built(exercise, seed + 1000))
        cases = [case for case in built(exercise, seed) if case.part == core(exercise)]
        assert failures(lambda *args, known=remembered: next(known).expected, cases)

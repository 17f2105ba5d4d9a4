"""Which cells of a submission run, which of them hold exercises, and whether an answer uses what it must not."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from autograder.grade import cells
from autograder.grade.index_path import bound_names, scan_tree
from autograder.grade.notebook import Notebook
from autograder.grade.released import ReleasedChapter, exercise_of


@dataclass(frozen=True)
class RunCell:
    """A code cell that runs: whole, or its imports, definitions and constants only (see ``cells``)."""

    number: int
    source: str
    whole: bool


@dataclass
class Plan:
    """What to do with a notebook.

    Attributes:
        run: code cells, in the notebook's order.
        holders: name of a function, or of a kernel's text → numbers of the cells that hold the exercise: marked by the
            release, or (marks get lost in some editors) defining it.
        definers: the same name → numbers of the cells that define it.
        meaning: name → the statement that gives it its meaning: the last one, as in Jupyter.
    """

    run: list[RunCell] = field(default_factory=list)
    holders: dict[str, list[int]] = field(default_factory=dict)
    definers: dict[str, list[int]] = field(default_factory=dict)
    meaning: dict[str, tuple[RunCell, ast.stmt]] = field(default_factory=dict)


def make_plan(notebook: Notebook, chapter: ReleasedChapter) -> Plan:
    """Find the exercises of ``chapter`` in ``notebook``."""
    names = {exercise.cases.bound_name for exercise in chapter.exercises}
    by_mark = {exercise.cases.exercise: exercise.cases.bound_name for exercise in chapter.exercises}
    result = Plan(holders={name: [] for name in names}, definers={name: [] for name in names})
    for cell in notebook.cells:
        if cell.kind != "code" or not cell.source.strip():
            continue
        defined = cells.defines(cell.source, names)
        marked = by_mark.get(exercise_of(cell))
        for name in defined:
            result.definers[name].append(cell.number)
        for name in defined | ({marked} if marked else set()):
            result.holders[name].append(cell.number)
        result.run.append(RunCell(cell.number, cell.source[: cells.SOURCE_LIMIT + 1], bool(defined or marked)))
    result.meaning = _meanings(result.run)
    return result


def _meanings(run: Sequence[RunCell]) -> dict[str, tuple[RunCell, ast.stmt]]:
    meaning = {}
    for cell in run:
        with contextlib.suppress(SyntaxError):
            for statement in cells.kept_statements(cells.parse(cell.source, cell.number), cell.whole):
                meaning.update(dict.fromkeys(cells.names_bound(statement), (cell, statement)))
    return meaning


def is_unfilled(plan: Plan, name: str) -> bool:
    """Whether the definition that counts still holds the blank."""
    return name in plan.meaning and cells.has_blank(plan.meaning[name][1], name)


def forbidden_uses(plan: Plan, name: str, forbidden: Collection[str]) -> list[str]:
    """Where ``name``, or what it builds on in the notebook, uses something forbidden: a line of text for each place."""
    reached = _reached(plan, name) if forbidden else []
    bound = {own for _, statement in reached for own in bound_names(statement)}
    return [
        f"cell {cell.number}, {violation}"
        for cell, statement in reached
        for violation in scan_tree(statement, forbidden, cell.source.splitlines(), bound)
    ]


def _reached(plan: Plan, name: str) -> list[tuple[RunCell, ast.stmt]]:
    """The statement that gives ``name`` its meaning, and those that it builds on."""
    reached, waiting, seen = [], [name], set()
    while waiting:
        wanted = waiting.pop()
        if wanted in plan.meaning and wanted not in seen:
            seen.add(wanted)
            reached.append(plan.meaning[wanted])
            waiting += (node.id for node in ast.walk(plan.meaning[wanted][1]) if isinstance(node, ast.Name))
    return reached

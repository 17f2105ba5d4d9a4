"""Cases of chapter 2, the memory: which elements a triple loop touches in which order, and how many lines it enters."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autograder.cases.case import Case
from autograder.cases.inputs import left_alone, ragged_sizes
from solutions.arrays import IntArray


def _walk(order: str, m: int, k: int, n: int) -> IntArray:
    """The triple loop as loops, for any order."""
    lengths = {"i": m, "j": n, "k": k}
    rows = []
    for step in itertools.product(*(range(lengths[letter]) for letter in order)):
        at = dict(zip(order, step, strict=True))
        rows.append((at["i"] * k + at["k"], at["k"] * n + at["j"], at["i"] * n + at["j"]))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def access_offsets_cases(rng: np.random.Generator) -> list[Case]:
    """Equal sizes, where only the order matters; then ragged ones, the other orders, sizes of 1, dtype."""
    m, k, n = ragged_sizes(rng, 3)

    def case(order: str, sizes: tuple[int, int, int], advice: str, part: str = "edges") -> Case:
        title = "{}: m = {}, k = {}, n = {}".format(order, *sizes)
        return Case(title, (order, *sizes), _walk(order, *sizes), part=part, advice=advice)

    turns = (
        "Write the three loops down in this order: the last letter changes at every step, the first one hardly ever."
    )
    columns = "Each column has its own row length: k elements in a row of a, n in a row of b, n in a row of out."
    lengths = "Whatever the order, i runs over m, j over n and k over the summed axis."
    thin = "With one row or one column the loop of length 1 still runs, once."
    ragged = case("ijk", (m, k, n), columns, "values")
    return [
        case("ikj", (3, 3, 3), turns, "values"),
        ragged,
        case("jki", (m, k, n), lengths, "values"),
        case("ikj", (n, m, k), lengths),
        case("jik", (n, m, k), lengths),
        case("kij", (k, n, m), lengths),
        case("kji", (n, m, k), lengths),
        case("ikj", (1, k, n), thin),
        case("kji", (m, k, 1), thin),
        replace(
            ragged,
            title="dtype of the offsets",
            dtype="int64",
            part="edges",
            advice="Offsets are int64: 32 bits end at 2 billion elements, and floats cannot index.",
        ),
    ]


def _lines_entered(offsets: Sequence[int], line_elements: int) -> int:
    entered, current = 0, None
    for offset in offsets:
        line = offset // line_elements
        entered += line != current
        current = line
    return entered


def line_changes_cases(rng: np.random.Generator) -> list[Case]:
    """Long steps, straight on, back and forth; then lines of other lengths, no step, one step, standing still."""
    m, k, n = ragged_sizes(rng, 3)

    def case(title: str, offsets: IntArray, line_elements: int, advice: str, part: str = "edges") -> Case:
        expected = _lines_entered(offsets.tolist(), line_elements)
        return Case(f"{title}, {line_elements} in a line", (offsets, line_elements), expected, part=part, advice=advice)

    leaps = np.arange(n + 1, dtype=np.int64) * (16 + k)
    straight = np.arange(17, 17 + 16 * m + k, dtype=np.int64)
    back = np.tile(np.array([3, 5, 40, 47, 5, 900], dtype=np.int64), m)
    random = rng.integers(0, 200, size=100 + n).astype(np.int64)
    share = "Two offsets share a line when whole-number division by the length of a line gives the same number."
    revisit = "Coming back to a line counts again: compare each step with the one before it, and nothing else."
    length = "The length of a line comes from the caller; it need not be a power of two."
    wandering = case("random walk", random, 16, revisit, "values")
    return [
        case("long steps", leaps, 16, "Each of these steps enters a line, and the first one does too.", "values"),
        case("straight on", straight, 16, share, "values"),
        case("back and forth", back, 16, revisit, "values"),
        wandering,
        case("straight on", straight, 12, length),
        case("straight on", straight, 1, "With one element in a line, each step to another element enters a line."),
        case("no step", np.zeros(0, dtype=np.int64), 16, "A walk without steps enters no line: the answer is 0."),
        case("one step", np.array([n], dtype=np.int64), 16, "The first access always enters a line: the answer is 1."),
        case("standing still", np.full(k, 33 * n, dtype=np.int64), 16, "Staying in a line costs nothing."),
        left_alone(wandering, (0,), "The walk is only read: offsets must come back unchanged."),
    ]

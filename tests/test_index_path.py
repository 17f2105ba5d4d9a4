"""The index path trains without NumPy's ready-made products: read from the source, and shown by a run without them."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from autograder.grade.index_path import INDEX_PATH, SwitchedOffError, scan, switched_off
from solutions.backend import choose
from solutions.inference import count_correct
from solutions.trainer import Trainer
from tests.test_trainer import RECIPE, ignore, toy_data

SOLUTIONS = Path(__file__).parent.parent / "solutions"
YARDSTICK = "backend_blas.py"


def modules_behind(start: str) -> set[str]:
    """Files of ``solutions/`` that ``start`` imports, itself included, however deep.

    Imports inside functions do not count: ``backend.choose`` loads the one backend that was asked for.
    """
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for node in ast.parse((SOLUTIONS / name).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("solutions"):
                inside = [node.module.partition(".")[2], *(alias.name for alias in node.names)]
                waiting += [f"{part}.py" for part in inside if part and (SOLUTIONS / f"{part}.py").exists()]
    return seen


def test_no_module_but_the_yardstick_names_a_ready_made_product() -> None:
    for path in SOLUTIONS.glob("*.py"):
        violations = scan(path.read_text(encoding="utf-8"), INDEX_PATH)
        assert bool(violations) == (path.name == YARDSTICK), f"{path.name}: {violations}"


def test_the_index_backend_does_not_reach_the_yardstick() -> None:
    behind = modules_behind("backend_numpy.py")
    assert {"matmul.py", "linear.py", "loss.py", "optimizer.py", "network.py"} <= behind
    assert YARDSTICK not in behind


def test_training_and_replay_run_with_the_products_switched_off(tmp_path: Path) -> None:
    images, labels = toy_data()
    usual = Trainer(RECIPE, choose("index"), images, labels, tmp_path / "usual").run(False, ignore)
    with switched_off():
        backend = choose("index")
        result = Trainer(RECIPE, backend, images, labels, tmp_path / "off").run(False, ignore)
        count_correct(backend, result.weights, images, labels)
    for name, array in usual.state.arrays.items():
        assert np.array_equal(array, result.state.arrays[name]), name


def test_the_switch_bites(tmp_path: Path) -> None:
    """The same run through the yardstick fails at once: the proof above can fail."""
    images, labels = toy_data()
    with switched_off(), pytest.raises(SwitchedOffError, match="matmul"):
        Trainer(RECIPE, choose("blas"), images, labels, tmp_path).run(False, ignore)


@pytest.mark.parametrize(
    "line",
    [
        "np.dot(a, b)", "a.dot(b)", "a @ b", "np.matmul(a, b)", "np.einsum('ij,jk', a, b)", "np.tensordot(a, b, 1)",
        "np.inner(a, b)", "a.__matmul__(b)",
    ],
)
def test_each_product_is_seen_in_source_and_refused_in_a_run(line: str) -> None:
    a = b = np.ones((2, 2), dtype=np.float32)
    assert scan(f"import numpy as np\na = b = 1\n{line}\n", INDEX_PATH)
    names = {"np": np, "a": a, "b": b}
    with switched_off(), pytest.raises((SwitchedOffError, TypeError)):
        eval(line, names)
    eval(line, names)  # and works again afterwards

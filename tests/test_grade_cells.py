"""Which statements of a notebook run, how IPython's lines are read, and where answers use what is forbidden."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from autograder.grade import cells
from autograder.grade.identify import forbidden_uses, make_plan
from autograder.grade.notebook import Notebook, read_notebook
from autograder.grade.released import ReleasedChapter, released_chapters
from tests.grade_samples import document, write, write_course


def kept(source: str, whole: bool = False) -> list[str]:
    return [ast.unparse(statement) for statement in cells.kept_statements(cells.parse(source), whole)]


@pytest.mark.parametrize(
    "statement",
    [
        "import numpy as np", "from math import sqrt", "def f():\n    return 1", "async def f():\n    return 1",
        "class A:\n    x = 1", "SIZE = 28 * 28", "(a, b) = (1, 2)", "names = ['a', 'b']", "d = {'a': 1.5, 'b': -2}",
        "x: int = 3", "eps = np.float32(0.5)", "n = int(3.7)", "pi = np.pi", "kind = np.float32",
        "try:\n    import tqdm\nexcept ImportError:\n    tqdm = None",
    ],
)  # fmt: skip
def test_kept_anywhere(statement: str) -> None:
    written = ast.unparse(ast.parse(statement))  # Python versions differ in brackets
    assert kept(statement) == [written]
    assert kept(statement, whole=True) == [written]


@pytest.mark.parametrize(
    "statement",
    [
        "train(10)", "losses = train(10)", "x = np.zeros(9)", "for i in range(3):\n    f(i)",
        "while True:\n    pass",
        "plt.show()", "print(f(3))", "x[0] = 1", "x.y = 1", "x += 1", "with open('f') as f:\n    pass", "x: int",
        "assert f(3) == 4", "del x", "y = [f(i) for i in x]", "z = lambda: 1", "check(f)", "if x:\n    import os",
        "y = f'{x}'", "sys.path.insert(0, '..')",
    ],
)  # fmt: skip
def test_runs_only_where_an_exercise_is(statement: str) -> None:
    assert kept(statement) == []
    assert kept(statement, whole=True) == [ast.unparse(ast.parse(statement))]


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("%matplotlib inline\nx = 1", ["pass", "x = 1"]),
        ("!pip install numpy\nx = 1", ["pass", "x = 1"]),
        ("%%time\nx = 1", ["x = 1"]),
        ("\n%%timeit -n 3\nx = 1", ["x = 1"]),
        ("%%bash\nrm -rf x", []),
        ("%%html\n<b>bold</b>", []),
        ("x = 1\nnp.dot?\nx??", ["x = 1", "pass", "pass"]),
        ("files = !ls\nx = 1", ["pass", "x = 1"]),
        ("t = %timeit -o f()", ["pass"]),
        ("if x:\n    %time f()\nelse:\n    !ls", ["if x:\n    pass\nelse:\n    pass"]),
        ("y = (100\n% 7)", ["y = 100 % 7"]),
        ("y = (100\n% 7)\n%time f()", ["y = 100 % 7", "pass"]),
        ("text = '''\n%matplotlib\n!ls\n'''", ["text = '\\n%matplotlib\\n!ls\\n'"]),
        ('%time f("it\'s")\nx = 1', ["pass", "x = 1"]),
        ("!echo '('\nx = 1", ["pass", "x = 1"]),
        ("?f", ["pass"]),
        ("", []),
        ("# only a remark", []),
    ],
)
def test_lines_of_ipython_do_nothing(source: str, left: list[str]) -> None:
    assert kept(source, whole=True) == left


def test_lines_keep_their_numbers() -> None:
    tree = cells.parse("%load_ext x\n\n!ls\ny = 1", 7)
    assert tree.body[-1].lineno == 4
    with pytest.raises(SyntaxError) as caught:
        cells.parse("x = 1\n%time y\ndef f(:\n    pass", 7)
    assert (caught.value.lineno, caught.value.filename) == (3, "<cell 7>")


@pytest.mark.parametrize(
    "source",
    [
        "def f(:", "x = (", "-" * 10**5 + "1", "(" * 10**4, "x" * 300_000, "a" + "+a" * 10**5, "x = 'a\0b'",
        "x = '\ud800'", "%time\n" * 3 + ")",
    ],
)  # fmt: skip
def test_what_is_not_python_is_a_syntax_error_whatever_it_is(source: str) -> None:
    with pytest.raises(SyntaxError):
        cells.parse(source)
    assert cells.defines(source, {"f"}) == set()


def test_names_bound_inside_statements() -> None:
    source = """
def f(): inner = 1
class A: pass
import os.path, numpy as np
from math import sqrt as root
a, (b, *c) = 1, (2, 3)
if True:
    d = 1
else:
    def e(): pass
for i in []: j = 1
try: k = 1
except OSError as error: l = 1
with open('x') as handle: pass
(m := 3)
x[n] = 4
"""
    bound = {name for statement in cells.parse(source).body for name in cells.names_bound(statement)}
    assert bound == {"f", "A", "os", "np", "root", *"abcdeijklm", "handle"}


@pytest.fixture(scope="module")
def chapter(tmp_path_factory: pytest.TempPathFactory) -> ReleasedChapter:
    return released_chapters(write_course(tmp_path_factory.mktemp("course"), [2]))[2]


def read(tmp_path: Path, **options: object) -> Notebook:
    return read_notebook(write(tmp_path / "02_matmul.ipynb", document(2, **options)))  # type: ignore[arg-type]


@pytest.mark.parametrize("marks", [True, False])
def test_exercises_are_found_by_mark_or_by_name(marks: bool, chapter: ReleasedChapter, tmp_path: Path) -> None:
    plan = make_plan(read(tmp_path, marks=marks, after=["x = 1"]), chapter)
    assert plan.holders == {
        "matmul_loops": [3], "matmul_reordered": [5], "access_offsets": [7], "line_changes": [9], "matmul_rank1": [11],
        "matmul_blocked": [13],
    }  # fmt: skip
    assert [cell.number for cell in plan.run if cell.whole] == [3, 5, 7, 9, 11, 13]
    assert [cell.number for cell in plan.run] == [2, *range(3, 16)]


def test_renamed_missing_and_repeated_exercises(chapter: ReleasedChapter, tmp_path: Path) -> None:
    answers = {"matmul_loops": "def my_loops(a, b): pass", "line_changes": None}
    plan = make_plan(read(tmp_path, answers=answers, after=["def matmul_rank1(a, b, out=None): pass"]), chapter)
    assert (plan.holders["matmul_loops"], plan.definers["matmul_loops"]) == ([3], [])
    assert plan.holders["line_changes"] == []
    assert plan.definers["matmul_rank1"] == [9, 13]


USES = {
    "in the function": (
        {"matmul_loops": "def matmul_loops(a, b):\n    return a @ b"},
        [],
        "cell 3, line 2 uses @: return a @ b",
    ),
    "in a helper": (
        {"matmul_loops": "def matmul_loops(a, b):\n    return helper(a, b)"},
        ["def helper(a, b):\n    return np.dot(a, b)"],
        "cell 3, line 2 uses dot: return np.dot(a, b)",
    ),
    "in a helper's helper": (
        {
            "matmul_loops": "def one(a, b): return two(a)\nmatmul_loops = one\n"
            "def two(a): return np.einsum('ij,jk', a, a)"
        },
        [],
        "cell 3, line 3 uses einsum",
    ),
    "under another name": (
        {"matmul_loops": "product = np.matmul\ndef matmul_loops(a, b):\n    return product(a, b)"},
        [],
        "line 1 uses matmul",
    ),
    "imported": (
        {"matmul_loops": "def matmul_loops(a, b):\n    return d(a, b)"},
        ["from numpy import dot as d"],
        "cell 3, line 1 uses dot",
    ),
    "with a star": (
        {"matmul_loops": "from numpy import *\ndef matmul_loops(a, b):\n    return dot(a, b)"},
        [],
        "line 3 uses dot",
    ),
    "as a default": ({"matmul_loops": "def matmul_loops(a, b, p=np.dot):\n    return p(a, b)"}, [], "line 1 uses dot"),
    "in a class": (
        {"matmul_loops": "class P:\n    def go(self, a): return a @ a\ndef matmul_loops(a, b): return P().go(a)"},
        [],
        "line 2 uses @",
    ),
}


@pytest.mark.parametrize("use", USES)
def test_forbidden_uses_are_found(use: str, chapter: ReleasedChapter, tmp_path: Path) -> None:
    answers, before, words = USES[use]
    plan = make_plan(read(tmp_path, answers=answers, before=before), chapter)
    found = forbidden_uses(plan, "matmul_loops", chapter.exercises[0].cases.forbidden)
    assert found
    assert words in found[0]
    assert forbidden_uses(plan, "matmul_loops", ()) == []


def test_what_is_not_used_is_not_blamed(chapter: ReleasedChapter, tmp_path: Path) -> None:
    """A first attempt that was replaced, a comparison in an experiment, a helper of another exercise."""
    answers = {
        "matmul_loops": "def matmul_loops(a, b):\n    return a @ b",
        "access_offsets": "def access_offsets(order, m, k, n):\n    return np.dot(1, 2)",
    }
    after = [
        "def matmul_loops(a, b):\n    inner = [0.0]\n    return inner",
        "expected = a @ b",
        "def other(a): return a @ a",
    ]
    plan = make_plan(read(tmp_path, answers=answers, after=after), chapter)
    assert forbidden_uses(plan, "matmul_loops", chapter.exercises[0].cases.forbidden) == []

"""Reading the single source: markers, exercises, blanks, chapters and plain Markdown; each fault is named."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.release.blank import blank_module, write_student_solutions
from autograder.release.chapter import Code, ExerciseBlock, Prose, read_chapter
from autograder.release.exercise import _signature, load_exercise, marked_exercises
from autograder.release.markers import Region, module_parts, split
from autograder.release.plain import PLAIN_FORMS, page_links, plain, plain_page
from autograder.release.prose import DIRECTIVES
from solutions.errors import CourseError
from tests.small_course import CHAPTER, KERNEL, MODULE, write_small_course

STUDENT_SCALED = '''\
def scaled(values, factor=SCALE, *, shift=0):
    """Every value times factor, plus shift.

    Args:
        values: whole numbers.
    """
    result = []
    # YOUR CODE HERE (about 2 lines)
    raise NotImplementedError("scaled")
    return result'''

REFERENCE_SCALED = '''\
def scaled(values, factor=SCALE, *, shift=0):
    """Every value times factor, plus shift.

    Args:
        values: whole numbers.
    """
    result = []
    for value in values:
        # a remark for teachers
        result.append(value * factor + shift)  # the whole idea
    return result'''


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return write_small_course(tmp_path)


def module(course: Path, text: str) -> Path:
    path = course / "solutions/more.py"
    path.write_text(text, encoding="utf-8")
    return path


# --- functions ----------------------------------------------------------------------------------------------------


def test_an_exercise_has_a_student_and_a_reference_side(course: Path) -> None:
    exercise = load_exercise(course, "solutions/numbers.py::scaled")
    assert exercise.student == STUDENT_SCALED
    assert exercise.reference == REFERENCE_SCALED
    assert exercise.lines == 2
    names: dict[str, object] = {"SCALE": 3}
    exec(exercise.reference, names)
    assert names["scaled"]([1, 2], shift=1) == [4, 7]  # type: ignore[operator]
    exec(exercise.student, names)
    with pytest.raises(NotImplementedError, match="scaled"):
        names["scaled"]([1])  # type: ignore[operator]


def test_a_marker_on_the_last_line_of_a_function_belongs_to_it(course: Path) -> None:
    assert "### END" not in load_exercise(course, "solutions/numbers.py::total").reference
    assert marked_exercises(course) == ["solutions/numbers.py::scaled", "solutions/numbers.py::total"]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("def f(x: int) -> int:", "def f(x):"),
        ("def f(a: float, eps: float = 1e-6, *, flag: bool = True) -> None:", "def f(a, eps=1e-6, *, flag=True):"),
        ("@decorated\ndef f(a, /, b: int, *rest: int, **named: str) -> None:", "def f(a, /, b, *rest, **named):"),
        ("def f(\n    a: int,  # first\n    b: str = 'x, y',\n) -> None:", "def f(a, b='x, y'):"),
        ("def f(a: int = max(\n    1,\n    2,\n)) -> None:", "def f(a=max(1, 2)):"),
        ("def f(*, only: int) -> None:", "def f(*, only):"),
        ("def f() -> None:", "def f():"),
    ],
)
def test_annotations_and_decorators_go_and_the_rest_stays(course: Path, written: str, shown: str) -> None:
    module(course, f"{written}\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n")
    exercise = load_exercise(course, "solutions/more.py::f")
    assert exercise.reference == f"{shown}\n    return 1"


def test_a_long_signature_gets_a_line_for_each_argument(course: Path) -> None:
    names = [f"argument_number_{number}" for number in range(8)]
    module(course, f"def f({', '.join(names)}):\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n")
    lines = load_exercise(course, "solutions/more.py::f").reference.splitlines()
    assert lines[0] == "def f("
    assert [line.strip(" ,") for line in lines[1:9]] == names
    assert max(map(len, lines)) < 100


PARAMETERS = st.lists(
    st.tuples(st.sampled_from(["int", "list[int]", "Callable[[int, str], None]", ""]), st.sampled_from(["", "1e-6"])),
    max_size=6,
)


@given(positional=PARAMETERS, keyword=PARAMETERS, star=st.sampled_from(["", "*", "*rest"]))
def test_any_signature_means_the_same_without_annotations(
    positional: list[tuple[str, str]], keyword: list[tuple[str, str]], star: str
) -> None:
    def written(prefix: str, parameters: list[tuple[str, str]]) -> list[str]:
        return [
            f"{prefix}{number}" + (f": {kind}" if kind else "") + (f" = {default}" if default else "")
            for number, (kind, default) in enumerate(parameters)
        ]

    positional = sorted(positional, key=lambda parameter: bool(parameter[1]))  # defaults come last
    words = written("p", positional) + ([star or "*", *written("k", keyword)] if keyword else [])
    source = f"def f({', '.join(words)}):\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n"
    [(node, _)] = [(node, parts) for node, parts in module_parts(source, "solutions/m.py") if node]
    bare = ast.parse(_signature(node, source) + " return 1").body[0]
    for argument in ast.walk(node):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    assert isinstance(bare, ast.FunctionDef)
    assert ast.dump(bare.args) == ast.dump(node.args)


def test_several_regions_and_what_follows_them(course: Path) -> None:
    module(
        course,
        "def f(x):\n    ### BEGIN SOLUTION\n    y = x\n    ### END SOLUTION\n    z = y\n    if z:\n"
        "        ### BEGIN SOLUTION\n        z += 1\n        z += 2\n        ### END SOLUTION\n    return z\n",
    )
    exercise = load_exercise(course, "solutions/more.py::f")
    assert exercise.student.splitlines() == [
        "def f(x):", "    # YOUR CODE HERE (about 1 line)", '    raise NotImplementedError("f")', "    z = y",
        "    if z:", "        # YOUR CODE HERE (about 2 lines)", '        raise NotImplementedError("f")',
        "    return z",
    ]
    assert exercise.lines == 3


@pytest.mark.parametrize(
    ("identity", "words"),
    [
        ("solutions/numbers.py", "expected solutions/FILE.py::FUNCTION"),
        ("solutions/numbers.py::two words", "expected solutions/FILE.py::FUNCTION"),
        ("book/numbers.py::scaled", "expected solutions/FILE.py::FUNCTION"),
        ("solutions/../secret.py::scaled", "expected solutions/FILE.py::FUNCTION"),
        ("solutions/nowhere.py::scaled", "there is no solutions/nowhere.py"),
        ("solutions/numbers.py::nothing", "has no function nothing"),
        ("solutions/numbers.py::untouched", "nothing is marked as its solution"),
        ("solutions/twice.py::f", "defines f 2 times"),
        ("solutions/broken.py::f", "solutions/broken.py, line 1: "),
        ("kernels/twice.cu::thrice", "has no kernel thrice"),
        ("kernels/quotes.cu::quotes", "would end the student's text"),
    ],
)
def test_exercises_that_are_not_there(course: Path, identity: str, words: str) -> None:
    (course / "solutions/twice.py").write_text("def f():\n    return 1\n\n\ndef f():\n    return 2\n")
    (course / "solutions/broken.py").write_text("def f(:\n")
    (course / "kernels/twice.cu").write_text(KERNEL)
    (course / "kernels/quotes.cu").write_text("// '''\n" + KERNEL.replace("twice", "quotes"))
    with pytest.raises(CourseError, match=words) as error:
        load_exercise(course, identity)
    assert "\n" not in str(error.value)


# --- markers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["### BEGIN SOLUTION", "x = 1"], "line 11: .* without an end"),
        (["x = 1", "### END SOLUTION"], "line 12: .* without a beginning"),
        (["### BEGIN SOLUTION", "### BEGIN SOLUTION", "### END SOLUTION"], "line 12: .* inside a solution"),
        (["### BEGIN SOLUTION", "", "### END SOLUTION"], "is empty"),
        (["### BEGIN SOLUTION", "# later", "### END SOLUTION"], "is empty"),
        (["## BEGIN SOLUTION", "x = 1", "### END SOLUTION"], "on a line of its own"),
        (["x = 1  ### BEGIN SOLUTION"], "on a line of its own"),
        (["### BEGIN SOLUTION", "x = 1", "### END SOLUTION (part one)"], "on a line of its own"),
    ],
)
def test_markers_that_do_not_pair_up(lines: list[str], words: str) -> None:
    with pytest.raises(CourseError, match=rf"^a\.py::f, {words}|^a\.py::f, line \d+: .*{words}"):
        split(lines, ".py", "a.py::f", 11)


@pytest.mark.parametrize(
    "source",
    [
        "### BEGIN SOLUTION\nTABLE = [1, 2, 3]\n### END SOLUTION\n",
        "class A:\n    def f(self):\n        ### BEGIN SOLUTION\n        return 1\n        ### END SOLUTION\n",
    ],
)
def test_a_marker_outside_of_a_function_would_blank_nothing(source: str) -> None:
    with pytest.raises(CourseError, match=r"module\.py, line \d+: a marker outside of a top-level function"):
        blank_module(source)


def test_words_about_markers_are_no_markers() -> None:
    assert blank_module('"""Between ``### BEGIN SOLUTION`` and its end."""\n') == (
        '"""Between ``### BEGIN SOLUTION`` and its end."""\n'
    )


@given(st.lists(st.tuples(st.booleans(), st.lists(st.sampled_from(["x = 1", "", "# note", "  y()"]), min_size=1))))
def test_splitting_keeps_every_line_in_order(pieces: list[tuple[bool, list[str]]]) -> None:
    pieces = [(marked and any(line.strip(" #note") for line in lines), lines) for marked, lines in pieces]
    source = [
        line
        for marked, lines in pieces
        for line in (["### BEGIN SOLUTION", *lines, "### END SOLUTION"] if marked else lines)
    ]
    parts = split(source, ".py", "f")
    flat = [line for part in parts for line in (part.lines if isinstance(part, Region) else [part])]
    assert flat == [line for _, lines in pieces for line in lines]
    assert sum(isinstance(part, Region) for part in parts) == sum(marked for marked, _ in pieces)


# --- blanks -------------------------------------------------------------------------------------------------------


def test_a_blanked_module_keeps_everything_but_the_answers() -> None:
    blanked = blank_module(MODULE)
    assert "running_total_of_values" not in blanked
    assert "SOLUTION" not in blanked
    assert "values: Sequence[int], factor: int = SCALE" in blanked
    assert "return x + 1" in blanked
    names: dict[str, object] = {"__name__": "numbers"}
    exec(blanked, names)
    assert names["untouched"](1) == 2  # type: ignore[operator]


def test_nothing_blanked_is_the_module_without_its_markers() -> None:
    lines = [line for line in MODULE.splitlines() if "SOLUTION" not in line]
    assert blank_module(MODULE, set()).splitlines() == lines


def test_only_the_named_exercises_are_blanked(course: Path) -> None:
    (course / "solutions/.ipynb_checkpoints").mkdir()
    (course / "solutions/.ipynb_checkpoints/numbers-checkpoint.py").write_text(MODULE)
    write_student_solutions(course / "out", {"solutions/numbers.py::total"}, course)
    text = (course / "out/solutions/numbers.py").read_text(encoding="utf-8")
    assert "running_total_of_values" not in text
    assert "result.append" in text
    assert "SOLUTION" not in text
    assert sorted(path.name for path in (course / "out/solutions").iterdir()) == ["__init__.py", "numbers.py"]


# --- kernels ------------------------------------------------------------------------------------------------------


def test_a_kernel_is_text_with_a_blank(course: Path) -> None:
    (course / "kernels/twice.cu").write_text(KERNEL)
    exercise = load_exercise(course, "kernels/twice.cu::twice")
    names: dict[str, str] = {}
    exec(exercise.student, names)
    assert names["twice_source"] == (
        "\n// Doubles x [n] in place; one thread an element; moves 8 n bytes.\n"
        "__global__ void twice(float *x, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  // YOUR CODE HERE (about 1 line)\n}\n"
    )
    exec(exercise.reference, names)
    assert names["twice_source"].splitlines()[1:] == [x for x in KERNEL.splitlines() if "SOLUTION" not in x]
    assert exercise.bound_name == "twice_source"
    assert "kernels/twice.cu" in marked_exercises(course)


@pytest.mark.parametrize(
    ("blank", "blanked"),
    [(None, True), ({"kernels/twice.cu::twice"}, True), ({"kernels/twice.cu"}, True), ({"kernels/two.cu::f"}, False)],
)
def test_kernels_are_blanked_too(course: Path, blank: set[str] | None, blanked: bool) -> None:
    (course / "kernels/twice.cu").write_text(KERNEL)
    write_student_solutions(course / "out", blank, course)
    text = (course / "out/kernels/twice.cu").read_text()
    assert "SOLUTION" not in text
    assert ("x[i] *= 2.0f" in text) is not blanked


# --- chapters -----------------------------------------------------------------------------------------------------


def test_a_chapter_is_prose_code_and_exercises_with_line_numbers(course: Path) -> None:
    chapter = read_chapter(course / "book/01_numbers.md")
    kinds = [type(block).__name__ for block in chapter.blocks]
    assert kinds == ["Prose", "Code", "Prose", "Prose", "ExerciseBlock", "Code", "Prose", "ExerciseBlock", "Prose"]
    lines = CHAPTER.splitlines()
    for block in chapter.blocks:
        first = {Prose: None, Code: "```{code-cell}", ExerciseBlock: "```{exercise}"}[type(block)]
        assert lines[block.line - 1].startswith(first or block.text.splitlines()[0])  # type: ignore[union-attr]
    setup = chapter.blocks[1]
    assert isinstance(setup, Code)
    assert setup.tags == ("setup",)
    assert setup.source.startswith("SCALE = 3")
    assert [(e.identity, e.points, e.hint) for e in chapter.exercises()] == [
        ("solutions/numbers.py::scaled", 5, "One loop."),
        ("solutions/numbers.py::total", 10, "Start with nothing."),
    ]
    assert [lines[e.task_line - 1] for e in chapter.exercises()] == ["Scale the values.", "Add them up."]


LAST = "```{dropdown} Answer\nIt is [here](01_numbers.md#scaling).\n```\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (":points: 5", ":points: five", "line 35: .* needs :points: with a whole number above 0, not 'five'"),
        (":points: 5", ":points: 0", "line 35: .* whole number above 0"),
        (":points: 5", ":points: ５", "line 35: .* whole number above 0"),
        (":points: 5\n", "", "line 35: .* needs :points:"),
        (":hint: One loop.\n", "", "line 35: .* needs a :hint:"),
        (":hint: One loop.", ":tip: One loop.", "line 35: option :tip: is not known here; there are: hint, points"),
        (":tags: [setup]", ":tags: setup", "line 16: .*tags are written as a list"),
        (":tags: [setup]", ":tags: [1]", "line 16: .*tags are written as a list"),
        (":tags: [setup]", ":tags: [setup", "line 16: Invalid YAML"),
        (":tags: [setup]", ":label: setup", "line 16: option :label: is not known"),
        (":tags: [setup]", ":tags: [hide-input]", "line 16: the first code cell has the tag setup"),
        ("print(scaled([1, 2]))\n", "", "line 44: an empty code cell"),
        ("```{dropdown} Answer", "```{mystery} Answer", "line 63: directive {mystery} is not known; there are"),
        ("```{dropdown} Answer", "```{dropdown}", "line 63: {dropdown} needs a title"),
        (LAST, "```{dropdown} Answer\n```\n", "line 63: {dropdown} is empty"),
        (LAST, ":::{tip}\nRest.\n:::\n", "line 63: directives are written with backticks"),
        (LAST, "See {ref}`scaling`.\n", "line 63: {ref}`…` would stand in notebooks as it is written"),
        (LAST, "- first\n\n  ```{tip}\n  x\n  ```\n", "line 65: directive {tip} inside a list"),
        (LAST, "> ```{exercise} solutions/numbers.py::scaled\n> x\n> ```\n", "line 63: .* inside a list or a quote"),
        (LAST, f"`{LAST}`".replace("```\n`", "````\n").replace("It is", "```{exercise} a\n```\nIt is"),
         "line 64: {exercise} inside another directive"),
        (LAST, LAST.removesuffix("```\n"), "line 63: ```{dropdown} Answer is not closed"),
        ("print(scaled([1, 2]))\n```", "print(scaled([1, 2]))", "line 44: ```{code-cell} ipython3 is not closed"),
        (LAST, "$$\\texttt{grad\\_output}$$\n", r"line 63: MathJax shows the .* of .texttt{grad._output}"),
        (LAST, "```{raw-cell}\nx\n```\n", "line 63: a raw cell"),
        (":class: tip", ":class: danger", "line 48: :class: danger is not known; there are: important, note"),
        (":class: tip", ":name: here", "line 48: option :name: of {admonition} is not known"),
        (":alt: A line.\n", "", "line 26: a figure needs :alt:"),
        ("figures/01-line.svg", "figures/01-lime.svg", "line 26: there is no picture figures/01-lime.svg"),
        ("Add them up.\n", "", "line 56: .* has no task text"),
        ("---\njupytext", "jupytext", "line 1: a chapter begins with jupytext's front matter"),
        ("format_name: myst", "format_name: markdown", "line 1: a chapter begins with jupytext's front matter"),
    ],
)
def test_faults_in_a_chapter_are_named_with_their_line(course: Path, old: str, new: str, words: str) -> None:
    path = course / "book/01_numbers.md"
    assert old in CHAPTER
    path.write_text(CHAPTER.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CourseError, match=f"^book/01_numbers.md, ({words})") as error:
        read_chapter(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("01_Numbers.md", b"", "a chapter's file is named NN_topic.md"),
        ("02_gone.md", None, "cannot read book/02_gone.md: No such file"),
        ("02_latin.md", b"\xff\xfe", "cannot read book/02_latin.md: .*utf-8"),
    ],
)
def test_files_that_are_no_chapters(course: Path, name: str, content: bytes | None, words: str) -> None:
    if content is not None:
        (course / "book" / name).write_bytes(content)
    with pytest.raises(CourseError, match=words):
        read_chapter(course / "book" / name)


def test_headings_inside_code_do_not_cut_prose(course: Path) -> None:
    path = course / "book/01_numbers.md"
    path.write_text(CHAPTER + "\nBefore.\n\n```sh\n# no heading\n```\n\nAfter.\n", encoding="utf-8")
    last = read_chapter(path).blocks[-1]
    assert isinstance(last, Prose)
    assert "# no heading" in last.text
    assert last.text.endswith("After.")


WORDS = st.lists(st.text("abc #`_*[]():", max_size=12), max_size=4).map("\n".join)


@given(st.lists(st.tuples(st.sampled_from(["#", "##", "###", ""]), st.text("abc xyz,.", min_size=1, max_size=9))))
def test_prose_is_cut_at_headings_and_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, paragraphs: list[tuple[str, str]]
) -> None:
    written = [f"{mark} {words.strip() or 'x'}".strip() for mark, words in paragraphs]
    path = tmp_path_factory.mktemp("book") / "01_prose.md"
    path.write_text(CHAPTER.partition("# 1")[0] + "\n\n".join(written) + "\n", encoding="utf-8")
    blocks = read_chapter(path).blocks
    assert "\n\n".join(block.text for block in blocks if isinstance(block, Prose)) == "\n\n".join(written)
    lines = path.read_text(encoding="utf-8").splitlines()
    for block in blocks:
        assert isinstance(block, Prose)
        assert lines[block.line - 1] == block.text.splitlines()[0]
        assert not any(line.startswith("#") for line in block.text.splitlines()[1:])


# --- plain Markdown -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Read [one](01_numbers.md#scaling), [two](contract.md).",
         "Read [one](01_numbers.ipynb#scaling), [two](../book/contract.md)."),
        ("[out](https://a.example/01_numbers.md) and `[x](contract.md)`",
         "[out](https://a.example/01_numbers.md) and `[x](../book/contract.md)`"),
        ("```{figure} figures/a.svg\n:alt: A line.\n\nOne\ntwo.\n```",
         "![A line.](../book/figures/a.svg)\n\n*One two.*"),
        ("```{figure} figures/a.svg\n:alt: A line.\n```", "![A line.](../book/figures/a.svg)"),
        ("```{admonition} Look\n:class: tip\n\nFirst.\n\nSecond.\n```", "> **Look**\n>\n> First.\n>\n> Second."),
        ("```{dropdown} Answer\nIt is [here](01_numbers.md#scaling).\n```",
         "<details>\n<summary>Answer</summary>\n\nIt is [here](01_numbers.ipynb#scaling).\n\n</details>"),
        ("```{math}\na = b\n```", "$$\na = b\n$$"),
        ("before\n\n````{admonition} Look\n\n```{dropdown} More\ninside\n```\n````\n\nafter",
         "before\n\n> **Look**\n>\n> <details>\n> <summary>More</summary>\n>\n> inside\n>\n> </details>\n\nafter"),
        ("```python\nlink = '[x](contract.md)'\n```", "```python\nlink = '[x](contract.md)'\n```"),
        ("| a | b |\n|---|---|\n| $x$ | **y** |", "| a | b |\n|---|---|\n| $x$ | **y** |"),
    ],
)
def test_directives_become_plain_markdown(written: str, shown: str) -> None:
    assert plain(written) == shown


def test_every_directive_has_a_plain_form() -> None:
    assert set(PLAIN_FORMS) == set(DIRECTIVES)


def test_pages_of_the_book_keep_their_directives_and_their_lines() -> None:
    text = "[a](01_numbers.md) [b](contract.md)\n\n```{dropdown} More\n:open:\n\n[c](02_more.md)\n\n```\n\nend"
    assert page_links(text) == text.replace("01_numbers.md", "01_numbers.ipynb").replace("02_more.md", "02_more.ipynb")


def test_pages_of_the_hand_out_lead_to_its_folders() -> None:
    text = "[a](01_numbers.md) [b](contract.md)\n\n```{dropdown} More\n[c](contract.md#x)\n```"
    assert plain_page(text) == (
        "[a](../chapters/01_numbers.ipynb) [b](contract.md)\n\n"
        "<details>\n<summary>More</summary>\n\n[c](contract.md#x)\n\n</details>"
    )


@given(WORDS)
def test_prose_without_directives_and_links_stays_as_it_is(text: str) -> None:
    assert plain(text) == text
    assert page_links(text) == text

"""Student code that means harm, or has an accident: its exercise scores nothing, all others score what they earn."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from autograder.grade import sandbox
from autograder.grade.grading import grade_notebook
from autograder.grade.results import NotebookResult
from autograder.grade.sandbox import Limits
from tests.grade_samples import QUICK, by_name, document, grade, write, write_course

RIGHT = "sum(i * s for i, s in zip(index, strides))"
OTHERS = ("row_major_strides", "unravel", "broadcast_strides")  # `add` builds on flat_offset and falls with it


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_course(tmp_path_factory.mktemp("course"), [1, 2])


def flat_offset(body: str) -> dict[str, str]:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return {"flat_offset": f"import os, sys\n\ndef flat_offset(index, strides):\n{lines}\n"}


def once(habit: str) -> str:
    """Statements that run at the first call only: other exercises call flat_offset too, hundreds of times."""
    indented = habit.replace("\n", "\n    ")
    return f"if 'done' not in globals():\n    globals()['done'] = True\n    {indented}\nreturn {RIGHT}"


def others_full(result: NotebookResult) -> bool:
    found = by_name(result)
    return all(found[name].status == "full" for name in OTHERS)


FORGE = """
import struct, json
frame = sys._getframe()
while "request" not in frame.f_locals or "id" not in frame.f_locals["request"]:
    frame = frame.f_back
reply = {"id": frame.f_locals["request"]["id"], "returned": RETURNED, "arguments": ARGUMENTS}
text = json.dumps(reply).encode()
for descriptor in range(3, 64):
    try:
        os.write(descriptor, struct.pack(">II", len(text), 0) + text)
    except OSError:
        pass
"""
TUPLES = '[{"t": "tuple", "v": []}, {"t": "tuple", "v": []}]'

HOSTILE = {
    "os._exit(0)": ("os._exit(0)", "crashed", "exit status 0"),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "crashed", "SIGSEGV"),
    "killed": ("os.kill(os.getpid(), 9); import ctypes; ctypes.string_at(0)", "crashed", "SIG"),
    "sys.exit": ("sys.exit(0)", "wrong", "SystemExit: 0"),
    "SystemExit": ("raise SystemExit('all passed')", "wrong", "SystemExit: all passed"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "wrong", "KeyboardInterrupt"),
    "BaseException": ("raise BaseException('no')", "wrong", "BaseException: no"),
    "recursion": ("return flat_offset(index, strides)", "wrong", "RecursionError"),
    "10 GB": ("return bytearray(10**10)", "wrong", "MemoryError"),
    "10 GB array": ("import numpy; return numpy.ones(10**10)", "wrong", "MemoryError"),
    "huge array": ("import numpy; return numpy.zeros(2 * 10**7)", "wrong", "too large to be sent"),
    "huge list": ("return [0] * 10**6", "wrong", "more than 200,000 parts"),
    "list in itself": ("a = []; a.append(a); return a", "wrong", "nested too deep"),
    "giant int": ("return 1 << 10**6", "wrong", "a value of type int"),
    "long str": ("return 'a' * 10**6", "wrong", "a value of type str"),
    "object": ("return object()", "wrong", "a value of type object"),
    "object array": ("import numpy; return numpy.array([object()])", "wrong", "an array of dtype object"),
    "matrix": ("import numpy; return numpy.matrix([[1]])", "wrong", "subclass of ndarray"),
    "NaN": ("return float('nan')", "wrong", "got nan"),
    "True": ("return True", "wrong", "got True"),
    "None": ("pass", "wrong", "is there a return"),
    "equal to all": (
        "class Equal(int):\n    __eq__ = lambda a, b: True\n    __hash__ = int.__hash__\nreturn Equal(7)",
        "wrong",
        "a value of type Equal",
    ),
    "exception that cannot be told": (
        "class Odd(Exception):\n    def __str__(self): raise SystemExit\nraise Odd",
        "wrong",
        "it raised Odd",
    ),
    "channel closed": (
        "for d in range(3, 64):\n    try: os.close(d)\n    except OSError: pass\nreturn " + RIGHT,
        "crashed",
        "process",
    ),
    "garbage on every descriptor": (
        "for d in range(64):\n    try: os.write(d, b'x' * 4096)\n    except OSError: pass\nreturn " + RIGHT,
        "bad reply",
        "cannot be read",
    ),
    "forged reply": (
        FORGE.replace("RETURNED", '{"t": "int", "v": "0x7"}').replace("ARGUMENTS", TUPLES),
        "bad reply",
        "got 7",
    ),
    "forged reply without arguments": (
        FORGE.replace("RETURNED", '{"t": "int", "v": "0x7"}').replace("ARGUMENTS", "[]"),
        "bad reply",
        "missing",
    ),
    "forged reply that is no value": (FORGE.replace("RETURNED", "7").replace("ARGUMENTS", TUPLES), "bad reply", ""),
    "blank imported": (
        "from solutions.tensor import flat_offset as answer; return answer(index, strides)",
        "not attempted",
        "blank",
    ),
    "cases imported": ("from autograder.cases.ch01 import EXERCISES", "wrong", "ModuleNotFoundError"),
    "standard input": ("input()", "wrong", "EOFError"),
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_harm_costs_one_exercise(attack: str, course: Path) -> None:
    body, status, message = HOSTILE[attack]
    result = grade(course, flat_offset(body))
    found = by_name(result)["flat_offset"]
    assert (found.status, found.points) == (status, 0.0), found.message
    assert message in found.message
    assert others_full(result)


HARMLESS = {
    "output flood": "for _ in range(100): print('x' * 10**6); print('y' * 10**6, file=sys.stderr)",
    "warnings": "import warnings; warnings.warn('careful')",
    "output streams closed": "os.closerange(1, 3)",
    "working folder deleted": "import shutil; shutil.rmtree(os.getcwd())",
    "working folder locked": "os.makedirs('a/b'); os.chmod('a', 0); os.chmod('.', 0)",
    "thread left running": "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()",
    "child left running": "os.fork() or os.execv('/bin/sleep', ['sleep', '61'])",
    "comparison replaced": "import numpy; numpy.allclose = numpy.array_equal = numpy.equal = lambda *a, **k: True",
    "runner replaced": "sys.modules['course_runner.wire'].unpack = None",
}


@pytest.mark.parametrize("habit", HARMLESS)
def test_what_does_no_harm_costs_nothing(habit: str, course: Path) -> None:
    result = grade(course, flat_offset(once(HARMLESS[habit])))
    if habit == "runner replaced":  # it has broken the process that should have answered for it
        assert by_name(result)["flat_offset"].points == 0
    else:
        assert by_name(result)["flat_offset"].status == "full", by_name(result)["flat_offset"].message
    assert others_full(result)


def alive(marker: str) -> bool:
    """Whether a process with ``marker`` among its arguments is running."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                    return True
            except OSError:
                continue
    return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
def test_nothing_keeps_running(course: Path) -> None:
    escape = "os.setsid(); os.fork() and os._exit(0)\n    " if sandbox.level() == "namespaces" else ""
    habit = f"if os.fork() == 0:\n    {escape}os.execv('/bin/sleep', ['sleep', '6.25'])"
    result = grade(course, flat_offset(once(habit)))
    assert by_name(result)["flat_offset"].status == "full"
    deadline = time.monotonic() + 2
    while alive("6.25") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive("6.25")


@pytest.mark.slow
def test_endless_loop_is_ended_and_the_rest_graded(course: Path) -> None:
    result = grade(course, flat_offset("while True: pass"))
    found = by_name(result)["flat_offset"]
    assert found.status == "timed out"
    assert "2 s" in found.message
    assert [case.message for case in found.cases][1] == "not tried after the case before"
    assert others_full(result)


@pytest.mark.slow
def test_a_few_forks_that_never_end(course: Path) -> None:
    body = "for _ in range(4): os.fork()\nwhile True: pass"
    result = grade(course, flat_offset(body))
    assert by_name(result)["flat_offset"].status in ("timed out", "bad reply")
    assert others_full(result)


@pytest.mark.slow
def test_endless_loop_in_a_cell(course: Path) -> None:
    cell = "def flat_offset(index, strides):\n    return 0\n\nwhile True:\n    pass"
    result = grade(course, {"flat_offset": cell})
    found = by_name(result)["flat_offset"]
    assert found.status == "broken"
    assert "no result after 2 s" in found.message
    assert others_full(result)
    assert any("no result after 2 s" in problem for problem in result.problems)


@pytest.mark.slow
def test_notebook_time_is_bounded(course: Path) -> None:
    endless = {name: f"def {name}(*args):\n    while True: pass" for name in (*OTHERS, "flat_offset", "add")}
    start = time.monotonic()
    result = grade(course, endless, limits=Limits(call_seconds=1.0, notebook_seconds=2.5))
    assert time.monotonic() - start < 15
    assert [exercise.status for exercise in result.exercises] == ["timed out"] * 5
    assert "used up its 2 s" in result.exercises[-1].message


def test_loop_in_an_edge_case_costs_the_edges(course: Path) -> None:
    cell = "def row_major_strides(shape):\n    while not shape: pass\n"
    cell += "    return tuple(int(np.prod(shape[i + 1:])) for i in range(len(shape)))"
    found = by_name(grade(course, {"row_major_strides": cell}, limits=Limits(call_seconds=1.0)))["row_major_strides"]
    assert (found.status, found.points) == ("part", 8.0)
    assert "no result after 1 s" in found.message


def test_one_exercise_cannot_forge_for_the_next(course: Path) -> None:
    """A thread that keeps writing replies while the next exercise is called."""
    habit = """import threading, time
def write():
    while True:
        time.sleep(0.001)
        for d in range(3, 64):
            try: os.write(d, b'{}' * 64)
            except OSError: pass
threading.Thread(target=write, daemon=True).start()"""
    result = grade(course, flat_offset(once(habit)))
    assert others_full(result)


def test_environment_and_path_are_cleared(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "hidden")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    body = "raise ValueError(os.environ.get('SECRET_TOKEN', 'no secret') + ' ' + str(len(sys.path)))"
    assert "no secret" in by_name(grade(course, flat_offset(body)))["flat_offset"].message
    root = str(Path(__file__).parents[1])
    body = f"raise ValueError(str([p for p in sys.path if p.rstrip('/') == {root!r}]))"
    assert "ValueError: []" in by_name(grade(course, flat_offset(body)))["flat_offset"].message


def test_expected_values_are_not_in_the_process(course: Path) -> None:
    """The process holds no case, no expected value and no reference body."""
    body = """import gc
texts = [o for o in gc.get_objects() if isinstance(o, dict) and 'expected' in o]
names = [m for m in sys.modules if 'cases' in m or 'compare' in m]
import solutions.tensor, inspect
raise ValueError(f"{len(texts)} {names} {'reversed(shape)' in inspect.getsource(solutions.tensor)}")"""
    assert "ValueError: 0 [] False" in by_name(grade(course, flat_offset(body)))["flat_offset"].message


def test_earlier_chapters_are_there_and_later_ones_blank(course: Path) -> None:
    cell = """def line_changes(offsets, line_elements):
    from solutions.tensor import row_major_strides
    from solutions.loss import softmax
    strides = row_major_strides((2, 3, 4))
    try:
        softmax(np.ones((1, 2), dtype=np.float32))
    except NotImplementedError as error:
        raise ValueError(f"{strides} {error}")"""
    found = by_name(grade(course, {"line_changes": cell}, chapter=2))["line_changes"]
    assert "ValueError: (12, 4, 1) softmax" in found.message


def test_one_notebook_cannot_spoil_the_files_of_the_next(course: Path) -> None:
    habit = """import solutions, pathlib
for path in pathlib.Path(solutions.__file__).parents[1].rglob('*.py*'):
    path.write_text('raise SystemExit')"""
    assert by_name(grade(course, flat_offset(once(habit))))["flat_offset"].status == "full"
    assert grade(course, {}).points == grade(course, {}).max_points


@pytest.mark.skipif(sandbox.level() != "namespaces", reason="no namespaces on this machine")
def test_no_network(course: Path) -> None:
    body = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    assert "OSError" in by_name(grade(course, flat_offset(body)))["flat_offset"].message
    body = "import socket; return len([n for _, n in socket.if_nameindex() if n != 'lo'])"
    assert "got 0" in by_name(grade(course, flat_offset(body)))["flat_offset"].message


def test_limits_level_grades_too(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without namespaces: the same marks, and the same accidents survived."""
    monkeypatch.setattr(sandbox, "level", lambda: "limits")
    result = grade(course, flat_offset("os._exit(3)"))
    assert by_name(result)["flat_offset"].status == "crashed"
    assert others_full(result)
    assert "network" in result.sandbox


def test_windows_is_told_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.level.cache_clear()
    monkeypatch.setattr(sandbox.os, "name", "nt")
    with pytest.raises(sandbox.CourseError, match="WSL 2"):
        sandbox.level()
    monkeypatch.undo()
    sandbox.level.cache_clear()


def test_temporary_folders_are_removed(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.tempfile, "tempdir", str(tmp_path))
    path = write(
        tmp_path / "sub" / "01_tensors.ipynb", document(1, answers=flat_offset("os.mkdir('x'); os.chmod('x', 0)"))
    )
    grade_notebook(path, limits=QUICK, root=course)
    assert [entry.name for entry in tmp_path.iterdir()] == ["sub"]

"""The program in the student's process, here without the process: what it runs, calls and sends back."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from autograder.cases.case import Case, Probe
from autograder.grade import index_path, runner, wire
from autograder.grade.session import call_request


@pytest.fixture(name="notebook")
def _notebook(monkeypatch: pytest.MonkeyPatch) -> runner.Notebook:
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])  # put back afterwards
    return runner.Notebook()


def call(notebook: runner.Notebook, name: str, *arguments: object, off: tuple[str, ...] = ()) -> dict[str, object]:
    header, chunks = call_request(name, Case("", arguments), off)  # type: ignore[arg-type]
    reply, payload = runner.answer(notebook, header, b"".join(chunks), 10**6)
    if "returned" in reply:
        reply["returned"] = wire.unpack(reply["returned"], b"".join(payload))
        reply["arguments"] = [wire.unpack(node, b"".join(payload)) for node in reply["arguments"]]
    return reply


def test_cells_share_a_namespace_and_a_broken_one_stops_none(notebook: runner.Notebook) -> None:
    assert notebook.run_cell(1, "import math\nHALF = 0.5\nundefined_call()\nx = undefined", False) == []
    assert notebook.run_cell(2, "def f(x):\n    return math.floor(x * HALF)\nraise SystemExit(3)", True) == [
        "SystemExit: 3 (cell 2, line 3)"
    ]
    assert notebook.run_cell(3, "def g(:", True) == ["cell 3, line 1: SyntaxError: invalid syntax"]
    assert notebook.run_cell(4, "import nothing_like_it\nimport os", False) == [
        "ModuleNotFoundError: No module named 'nothing_like_it' (cell 4, line 1)"
    ]
    assert call(notebook, "f", 7)["returned"] == 3
    assert call(notebook, "g", 7) == {"missing": True}
    assert call(notebook, "HALF") == {"missing": True}


def test_future_imports_hold_for_later_cells(notebook: runner.Notebook) -> None:
    assert notebook.run_cell(1, "def f(x: Undefined): return 1", True) != []
    assert notebook.run_cell(2, "from __future__ import annotations", False) == []
    assert notebook.run_cell(3, "def f(x: Undefined): return 1", True) == []


def test_dataclasses_find_their_module(notebook: runner.Notebook) -> None:
    cell = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n"
    assert notebook.run_cell(1, cell + "def f(): return A(3).x", True) == []
    assert call(notebook, "f")["returned"] == 3


def test_arguments_come_back_and_probes_become_functions(notebook: runner.Notebook) -> None:
    notebook.run_cell(1, "def f(out, f, n):\n    out[...] = n\n    return f(out)", True)
    view = np.zeros((2, 3), dtype=np.float32).T
    reply = call(notebook, "f", view, Probe("quadratic", (np.ones(2),)), 2)
    assert reply["returned"] == 12.0
    after = reply["arguments"]
    assert isinstance(after, list)
    assert after[0].tolist() == [[2, 2], [2, 2], [2, 2]]
    assert after[1:] == [None, None]
    assert not view.any()


def test_exceptions_are_told_in_plain_values(notebook: runner.Notebook) -> None:
    notebook.run_cell(5, "def f(): raise NotImplementedError('f')\ndef g(): f()\ndef h(): raise KeyError('a b')", True)
    raised = call(notebook, "g")["raised"]
    assert raised == {
        "kinds": ["NotImplementedError", "RuntimeError", "Exception", "BaseException"],
        "text": "NotImplementedError: f",
        "where": "cell 5, line 1",
        "unfilled": "f",
    }
    assert call(notebook, "h")["raised"]["unfilled"] == ""  # type: ignore[index]


def test_names_are_off_for_one_call(notebook: runner.Notebook) -> None:
    with index_path.guarded(["dot"]):
        notebook.run_cell(1, "import numpy as np\nproduct = np.dot\ndef f(a): return product(a, a)", True)
        assert "switched off" in call(notebook, "f", np.ones(2), off=("dot",))["raised"]["text"]  # type: ignore[index]
        assert call(notebook, "f", np.ones(2))["returned"] == 2.0


def test_lines_of_code_in_messages_are_bounded(notebook: runner.Notebook) -> None:
    notebook.run_cell(1, "def f(): raise ValueError('x' * 10**6 + chr(10) + 'second line')", True)
    assert len(call(notebook, "f")["raised"]["text"]) < 400  # type: ignore[index]
    reply, _ = runner.answer(notebook, {"op": "cell", "number": 2, "source": "def g(:", "whole": True}, b"", 1)
    assert reply == {"problems": ["cell 2, line 1: SyntaxError: invalid syntax"]}

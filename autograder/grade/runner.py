"""The program in the student's process: runs cells, calls functions, sends back raw bytes. It judges nothing.

It is started with the number of an inherited socket, reads requests from it and answers each with one frame. It knows
neither expected values nor the reference: both stay with the grader. Student code runs in this very process and can do
to it what it likes; the grader believes none of it.
"""

from __future__ import annotations

import ast
import contextlib
import os
import socket
import sys
import traceback
import types
from typing import Any

import numpy as np

from . import cells, index_path, probes, wire

try:
    import resource
except ImportError:  # Windows, where `sandbox` does not start this program
    resource = None  # type: ignore[assignment]

MESSAGE_LIMIT = 300
FUTURE_FLAGS = 0x1FF0000
"""Bits of ``co_flags`` that ``from __future__ import`` sets (``__future__.py``)."""


class Notebook:
    """The namespace that all cells share, and what runs in it."""

    def __init__(self) -> None:
        self.module = types.ModuleType("__main__")
        self.future_flags = 0
        sys.modules["__main__"] = self.module  # dataclasses and pickle look the student's classes up there

    def run_cell(self, number: int, source: str, whole: bool) -> list[str]:
        """Run a cell (see ``cells``); returns what went wrong, if anything."""
        try:
            tree = cells.parse(source, number)
        except SyntaxError as error:
            place = f"cell {number}, line {error.lineno}" if error.lineno else f"cell {number}"
            return [f"{place}: SyntaxError: {error.msg}"]
        statements = cells.kept_statements(tree, whole)
        pieces = [statements] if whole else [[statement] for statement in statements]
        problems = []
        for piece in pieces:
            try:
                self._execute(piece, number)
            except BaseException as error:  # SystemExit and KeyboardInterrupt too: they end a cell, not the grading
                if whole or not isinstance(piece[0], (ast.Assign, ast.AnnAssign)):
                    problems.append(described(error)["text"] + placed(error))
        return problems

    def _execute(self, statements: list[ast.stmt], number: int) -> None:
        tree = ast.Module(body=statements, type_ignores=[])
        try:
            code = compile(tree, cells.cell_name(number), "exec", self.future_flags, dont_inherit=True)
        except (ValueError, MemoryError, RecursionError) as error:
            raise SyntaxError(f"the cell cannot be compiled: {error}") from None
        self.future_flags |= code.co_flags & FUTURE_FLAGS  # as in Jupyter, they hold for later cells
        exec(code, self.module.__dict__)

    def call(self, name: str, arguments: list[Any], off: list[str]) -> dict[str, Any]:
        """Call a function of the notebook; returns its result or what it raised."""
        function = self.module.__dict__.get(name)
        if not callable(function):
            return {"missing": True}
        try:
            with index_path.refusing(off):
                return {"returned": function(*arguments)}
        except BaseException as error:
            return {"raised": described(error)}


    def text(self, name: str) -> tuple[dict[str, Any], Any]:
        """A text of the notebook as bytes: no string of the protocol is long enough for a kernel."""
        value = self.module.__dict__.get(name)
        if isinstance(value, str):
            return {}, np.frombuffer(str.encode(value, "utf-8", "replace"), dtype=np.uint8)
        return ({"missing": True} if value is None else {"kind": type(value).__name__[:60]}), None


def described(error: BaseException) -> dict[str, Any]:
    """An exception in plain values: its classes, what it says, where it happened, which blank it came from."""
    kinds = [kind.__name__ for kind in type(error).__mro__[:-1]]
    text = ""
    with contextlib.suppress(BaseException):
        text = str(error).strip().splitlines()[0][:MESSAGE_LIMIT]
    unfilled = text if isinstance(error, NotImplementedError) and text.isidentifier() else ""
    told = f"{kinds[0]}: {text}" if text else kinds[0]
    return {"kinds": kinds, "text": told, "where": placed(error).strip(" ()"), "unfilled": unfilled}


def placed(error: BaseException) -> str:
    """``" (cell 12, line 3)"``: the innermost line of the notebook that an exception came through."""
    if isinstance(error, SyntaxError) and error.lineno and str(error.filename).startswith("<cell "):
        return f" ({str(error.filename)[1:-1]}, line {error.lineno})"
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        name = frame.f_code.co_filename
        if name.startswith("<cell "):
            return f" ({name[1:-1]}, line {line})"
    return ""


class Connection:
    """Requests in, replies out."""

    def __init__(self, descriptor: int) -> None:
        self.socket = socket.socket(fileno=descriptor)
        self.socket.set_inheritable(False)  # a program started by student code must not hold the line

    def _exactly(self, count: int) -> bytes:
        parts = []
        while count:
            part = self.socket.recv(min(count, 2**20))
            if not part:
                os._exit(0)  # the grader has hung up
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def receive(self) -> tuple[dict[str, Any], bytes]:
        """The next request: header and payload."""
        header_size, payload_size = wire.read_lengths(self._exactly(8), 2**31)
        return wire.read_header(self._exactly(header_size)), self._exactly(payload_size)

    def send(self, header: dict[str, Any], chunks: list[bytes]) -> None:
        """One reply; a header that is too long is replaced by a short one that says so."""
        data = wire.frame(header, chunks)
        if wire.LENGTHS.unpack(data[:8])[0] > wire.HEADER_LIMIT:
            short = {"t": "foreign", "v": "a value too large to be sent"}
            data = wire.frame({**header, "returned": short}, chunks)
        self.socket.sendall(data)


def limit_resources(limits: dict[str, int]) -> None:
    """Lower this process's limits for good: ``{"AS": bytes, "CPU": seconds, …}``, names as in ``resource``."""
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is not None:
            with contextlib.suppress(ValueError, OSError):  # macOS refuses some; the others still hold
                resource.setrlimit(kind, (value, value))


def answer(notebook: Notebook, request: dict[str, Any], payload: bytes, reply_limit: int) -> tuple[Any, list[bytes]]:
    """Do what a request asks; returns header and chunks of the reply."""
    if request["op"] == "cell":
        problems = notebook.run_cell(request["number"], request["source"], request["whole"])
        return {"problems": [problem[: 2 * MESSAGE_LIMIT] for problem in problems[:20]]}, []
    packer = wire.Packer(limit=reply_limit)
    if request["op"] == "text":
        reply, text = notebook.text(request["name"])
        return {**reply, "returned": packer.pack(text)}, packer.chunks
    arguments = [wire.unpack(node, payload) for node in request["arguments"]]
    given = [probes.build(a.name, a.arrays) if isinstance(a, wire.FunctionSpec) else a for a in arguments]
    reply = notebook.call(request["name"], given, request["off"])
    if "returned" in reply:
        reply["returned"] = packer.pack(reply["returned"])
        reply["arguments"] = [packer.pack(a if isinstance(a, np.ndarray) else None) for a in given]
    return reply, packer.chunks


def main(descriptor: int) -> None:
    """Serve requests until the grader hangs up."""
    connection = Connection(descriptor)
    settings, _ = connection.receive()
    limit_resources(settings["limits"])
    notebook = Notebook()
    with index_path.guarded(settings["guard"]):  # before any student code can keep an unguarded function
        connection.send({"id": settings["id"], "numpy": np.__version__}, [])
        while True:
            request, payload = connection.receive()
            header, chunks = answer(notebook, request, payload, settings["reply_limit"])
            connection.send({**header, "id": request["id"]}, chunks)

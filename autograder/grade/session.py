"""Calls into one notebook: the student's process is started when it is first needed, and again after it has ended."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograder.cases.case import Case, Probe
from autograder.cases.compare import Outcome, Raised
from autograder.grade import wire
from autograder.grade.identify import RunCell
from autograder.grade.sandbox import EndedError, Limits, StudentProcess

TEXT_LIMIT = 400
BYTES_LIMIT = 100_000
"""Bytes of a kernel's text; the course's longest file has about a fifth of that."""


class MissingError(Exception):
    """The notebook has run, and there is no function of that name."""


class NoTextError(Exception):
    """What should be a kernel's text is something else; says what."""


class Session:
    """A notebook that can be called.

    Attributes:
        problems: cell number → what went wrong when it ran.
    """

    def __init__(self, run: Sequence[RunCell], tree: Mapping[str, bytes], limits: Limits, guard: Sequence[str]) -> None:
        self.problems: dict[int, str] = {}
        self._run, self._tree, self.limits, self._guard = run, tree, limits, guard
        self._lethal: set[int] = set()
        self._process: StudentProcess | None = None
        self._served: set[str] = set()
        self._end = time.monotonic() + limits.notebook_seconds

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None
        self._served.clear()

    def _request(self, header: dict[str, Any], chunks: list[bytes]) -> tuple[dict[str, Any], bytes]:
        """One request within what is left of the notebook's time; a process that fails is ended."""
        assert self._process is not None
        left = self.seconds_left
        try:
            if left <= 0:
                limit = self.limits.notebook_seconds
                raise EndedError("timed out", f"not tried: the notebook had used up its {limit:.0f} s")
            return self._process.request(header, chunks, min(self.limits.call_seconds, left))
        except EndedError:
            self._stop()
            raise

    def _start(self) -> None:
        """Bring the notebook up; a cell that ends the process is noted and left out from then on."""
        while self._process is None:
            self._process = StudentProcess(self._tree, self.limits, self._guard)
            for cell in self._run:
                if cell.number in self._lethal:
                    continue
                request = {"op": "cell", "number": cell.number, "source": cell.source, "whole": cell.whole}
                try:
                    reply, _ = self._request(request, [])
                except EndedError as error:
                    if time.monotonic() > self._end:
                        raise
                    self._lethal.add(cell.number)
                    self.problems[cell.number] = f"cell {cell.number}: {error}"
                    break
                found = reply.get("problems")
                if isinstance(found, list) and found:
                    self.problems[cell.number] = plain_text(found[0])

    @property
    def seconds_left(self) -> float:
        """What is left of the notebook's time."""
        return self._end - time.monotonic()

    def text(self, name: str) -> str:
        """The text that the notebook calls ``name``: read, not run.

        Raises:
            MissingError: there is no such name.
            NoTextError: it is no text, or too long a one.
            EndedError: there is no reply.
        """
        self._start()
        reply, payload = self._request({"op": "text", "name": name}, [])
        if reply.get("missing") is True:
            raise MissingError
        if "kind" in reply:
            raise NoTextError(f"{name} is a value of type {plain_text(reply['kind'])}, not the text of a kernel")
        try:
            data = wire.unpack(reply.get("returned"), payload)
        except wire.WireError as error:
            self._stop()
            raise EndedError("bad reply", f"the reply cannot be read: {error}") from error
        if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.size > BYTES_LIMIT:
            raise NoTextError(f"{name} is longer than a kernel's text may be, {BYTES_LIMIT:,} bytes")
        return data.tobytes().decode("utf-8", "replace")

    def call(self, name: str, case: Case, off: Sequence[str]) -> Outcome:
        """Call the notebook's function ``name`` as ``case`` says, with the functions named in ``off`` switched off.

        Raises:
            MissingError: there is no such function.
            EndedError: there is no result.
        """
        alone = not self._served - {name}
        try:
            return self._call(name, case, off)
        except EndedError as error:
            if alone or error.status == "timed out":
                raise
        return self._call(name, case, off)  # what another exercise left running may be to blame: in a fresh process

    def _call(self, name: str, case: Case, off: Sequence[str]) -> Outcome:
        self._start()
        self._served.add(name)
        reply, payload = self._request(*call_request(name, case, off))
        try:
            return _outcome(reply, payload, len(case.args))
        except wire.WireError as error:
            self._stop()
            raise EndedError("bad reply", f"the reply cannot be read: {error}") from error


def call_request(name: str, case: Case, off: Sequence[str]) -> tuple[dict[str, Any], list[bytes]]:
    """Header and chunks of a call."""
    packer = wire.Packer(keep_strides=True)
    nodes = [packer.pack(_travelling(argument)) for argument in case.args]
    return {"op": "call", "name": name, "arguments": nodes, "off": list(off)}, packer.chunks


def _travelling(argument: object) -> object:
    return wire.FunctionSpec(argument.name, argument.arrays) if isinstance(argument, Probe) else argument


def _outcome(reply: dict[str, Any], payload: bytes, arguments: int) -> Outcome:
    """What a reply says, every field of it in doubt."""
    if reply.get("missing") is True:
        raise MissingError
    raised = reply.get("raised")
    if isinstance(raised, dict):
        kinds = raised.get("kinds")
        names = tuple(plain_text(kind) for kind in kinds[:50]) if isinstance(kinds, list) else ()
        return Outcome(raised=Raised(names, *(plain_text(raised.get(key)) for key in ("text", "where", "unfilled"))))
    after = reply.get("arguments")
    if not isinstance(after, list) or len(after) != arguments:
        raise wire.WireError("arguments are missing")
    return Outcome(wire.unpack(reply.get("returned"), payload), tuple(wire.unpack(node, payload) for node in after))


def plain_text(value: object) -> str:
    """A line of text from the student's process, cut to size and free of control characters."""
    text = value if isinstance(value, str) else ""
    clean = text[: 2 * TEXT_LIMIT].encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() else " " for c in clean)[:TEXT_LIMIT]

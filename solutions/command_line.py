"""What the commands share: one-line errors, exit statuses, and output that any console can show."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from solutions.errors import CourseError

HOLDS, FAILS, BAD_INPUT = 0, 1, 2
"""Exit statuses: the contract holds, it does not, the question could not be asked."""
READER_GONE = 141
"""Exit status of a program whose reader closed the pipe: 128 + SIGPIPE, as shells count."""


class OneLineParser(argparse.ArgumentParser):
    """Errors in one line, with the way out, and without the usage text in front."""

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(BAD_INPUT, f"error: {message} (all options: {self.prog} --help)\n")


def run(command: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    """Run a command; a :class:`CourseError` becomes one line on stderr and status 2."""
    utf8_output()
    try:
        status = command(arguments)
        sys.stdout.flush()
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader, ``head`` say, has seen enough; Python's own flush at the end must find a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    return status


def utf8_output() -> None:
    """Make stdout and stderr take ✓ and ✗: a Windows pipe or an old locale would end the program at the first one."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(encoding="utf-8")

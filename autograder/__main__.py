"""``python -m autograder``: release, book and grade."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from solutions.command_line import OneLineParser, run

COMMANDS = {
    "release": ("autograder.release.command", "build the notebooks from book/, solutions/ and kernels/"),
    "book": ("autograder.release.book_command", "build the static book"),
    "grade": ("autograder.grade.cli", "grade a folder of filled notebooks"),
}
"""Name → the module with its ``add_arguments`` and ``run``, loaded when it is asked for, and a line of help."""


def main(arguments: Sequence[str]) -> int:
    """Run a subcommand and return its exit status."""
    parser = OneLineParser(prog="python -m autograder", description="Build, check and grade the course.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module_name, words) in COMMANDS.items():
        sub = commands.add_parser(name, help=words, description=words)
        if list(arguments[:1]) == [name]:
            module = importlib.import_module(module_name)
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))

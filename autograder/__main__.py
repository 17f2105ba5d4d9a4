"""``python -m autograder``: release, book and grade."""

from __future__ import annotations

import argparse
import importlib
import sys

from solutions.errors import CourseError

COMMANDS = {
    "release": ("autograder.release.command", "build the notebooks from book/, solutions/ and kernels/"),
    "book": ("autograder.release.book_command", "build the static book"),
    "grade": ("autograder.grade.cli", "grade a folder of filled notebooks"),
}
"""Name → the module with its ``add_arguments`` and ``run``, loaded when it is asked for, and a line of help."""


def main(arguments: list[str]) -> int:
    """Run a subcommand; 2 on bad input, told in one line."""
    parser = argparse.ArgumentParser(prog="python -m autograder", description="Build, check and grade the course.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module_name, words) in COMMANDS.items():
        sub = commands.add_parser(name, help=words, description=words)
        if arguments[:1] == [name]:
            module = importlib.import_module(module_name)
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")  # Windows consoles default to another code page
    sys.exit(main(sys.argv[1:]))

"""``python -m autograder release``."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.release.blank import ROOT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--root", type=Path, default=ROOT, help="the course (default: this one)")
    parser.add_argument("--chapter", metavar="NN", help="this chapter only; with --students: up to this chapter")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--check", action="store_true", help="only say what a fresh release would change; exit 1 if any")
    kind.add_argument("--students", metavar="DIR", type=Path, help="write what an instructor hands out into DIR")


def run(options: argparse.Namespace) -> int:
    """Build, compare, or write the hand-out."""
    from autograder.release.build import drift, release
    from autograder.release.students import write_student_package

    if options.check:
        messages = drift(options.root, options.chapter)
        print("\n".join(messages) or "the committed notebooks equal a fresh release")
        return 1 if messages else 0
    if options.students:
        write_student_package(options.root, options.students, options.chapter)
        print(f"what students get is in {options.students}")
        return 0
    changed = release(options.root, options.chapter)
    print("\n".join(f"wrote {path.relative_to(options.root)}" for path in changed) or "everything was up to date")
    return 0

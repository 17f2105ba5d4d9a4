"""``python -m autograder book``."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.release.blank import ROOT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--root", type=Path, default=ROOT, help="the course (default: this one)")
    parser.add_argument("--out", type=Path, default=Path("_build"), help="default: %(default)s")


def run(options: argparse.Namespace) -> int:
    """Build the book and say where it is."""
    from autograder.release.site import build_site

    print(f"the book is in {build_site(options.root, options.out)}")
    return 0

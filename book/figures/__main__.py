"""``python -m book.figures [--check]``: draw every picture, or say which file differs from its drawing."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from solutions.atomic import atomic_write

FOLDER = Path(__file__).parent


def drawings() -> dict[str, str]:
    """File name → SVG text, from the function ``figures()`` of every module named ``chNN``."""
    found: dict[str, str] = {}
    for module in sorted(FOLDER.glob("ch[0-9][0-9].py")):
        found |= importlib.import_module(f"book.figures.{module.stem}").figures()
    return found


def main(arguments: list[str]) -> int:
    """Write the pictures; with ``--check`` only compare, and return 1 if one is out of date."""
    stale = 0
    for name, svg in drawings().items():
        path = FOLDER / name
        if path.exists() and path.read_text(encoding="utf-8") == svg:
            continue
        if "--check" in arguments:
            print(f"{name} differs from its drawing; run: python -m book.figures")
            stale += 1
            continue
        with atomic_write(path, "w") as handle:
            handle.write(svg)
        print(f"drew {name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

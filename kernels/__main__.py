"""``python -m kernels``: what can be said of kernels from the command line.

``report`` asks the compilers for registers, shared memory, spills and occupancy, for every card of the course and
without a GPU. ``build`` compiles the emulator's runtime, so that the first launch does not have to wait for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from math import prod

from solutions.command_line import FAILS, HOLDS, OneLineParser, run


def report(files: Sequence[str], card: str | None, arch: str | None, threads: int, as_json: bool) -> int:
    """Print the report; status 1 when nothing could be reported."""
    from kernels.source import HERE, read
    from kernels.static.report import architectures_of, collect, table, to_json

    sources = [read(name) for name in files or sorted(path.name for path in HERE.glob("*.cu"))]
    rows, gaps = collect(sources, architectures_of(card, arch), course_blocks(), threads)
    print(json.dumps(to_json(rows, gaps), indent=1) if as_json else table(rows, gaps))
    return HOLDS if rows else FAILS


def course_blocks() -> dict[str, tuple[int, int]]:
    """Threads a block and dynamic shared memory of the course's own kernels."""
    from kernels.catalog import CATALOG

    launches = {entry.name: entry.launch(entry.sizes[-1]) for entry in CATALOG}
    return {name: (prod(block), shared) for name, (_, block, shared) in launches.items()}


def build() -> int:
    """Compile the emulator's runtime."""
    from kernels.emulator.build import runtime

    print(f"the emulator's runtime is ready: {runtime().name}")
    return HOLDS


def command(arguments: Sequence[str]) -> int:
    """Entry of the command line; returns the exit status."""
    parser = OneLineParser(prog="python -m kernels", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="what", required=True, parser_class=OneLineParser)
    one = commands.add_parser("report", help="registers, memory and occupancy by card, without a GPU")
    one.add_argument("files", nargs="*", help="kernel files; without any, all of the course's")
    which = one.add_mutually_exclusive_group()
    which.add_argument("--card", help='one card, such as "GTX 1060 6GB"')
    which.add_argument("--arch", help="one architecture, such as sm_61 or gfx1010")
    one.add_argument("--block", type=int, default=256, help="threads a block of kernels that are not the course's")
    one.add_argument("--json", action="store_true", help="as JSON")
    commands.add_parser("build", help="compile the emulator's runtime now, not at the first launch")
    options = parser.parse_args(arguments)
    if options.what == "build":
        return build()
    return report(options.files, options.card, options.arch, options.block, options.json)


if __name__ == "__main__":
    sys.exit(run(command, sys.argv[1:]))

"""``hardware_check.py``: look at the machine, judge it, print the verdict."""

from __future__ import annotations

import json
from collections.abc import Sequence

from autograder.contract.cards import known_names, load_card
from autograder.contract.detect import detect
from autograder.contract.hardware_report import HardwareReport
from solutions.command_line import FAILS, HOLDS, OneLineParser


def main(arguments: Sequence[str]) -> int:
    """Judge and print: 0 when the contract holds, 1 when it does not.

    Raises:
        CourseError: ``--card`` names none of the contract's cards.
    """
    parser = OneLineParser(prog="hardware_check.py", description="Hold this machine against the hardware contract.")
    parser.add_argument("--card", metavar="NAME", help=f"judge this card, here or not: {known_names()}")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    options = parser.parse_args(arguments)
    asked = load_card(options.card) if options.card is not None else None
    report = HardwareReport(detect(), asked)
    if options.json:
        print(json.dumps(report.to_json(), indent=2))
    else:
        print(*report.lines(), sep="\n")
    return HOLDS if report.passed else FAILS

"""Hold this machine against the hardware contract: ``python hardware_check.py --help``; ``make hardware`` runs it."""

from __future__ import annotations

import sys

from autograder.contract.hardware_command import main
from solutions.command_line import run

if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))

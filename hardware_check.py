"""Hold this machine against the hardware contract: ``python hardware_check.py --help``; ``make hardware`` runs it."""

from __future__ import annotations

import sys

from autograder.contract.command import run
from autograder.contract.hardware_command import main

if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))

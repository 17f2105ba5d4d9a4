"""The one base class of every error that is meant for a person to read."""

from __future__ import annotations


class CourseError(Exception):
    """A mistake in the input, told in one line: what is wrong, and the way out.

    Command-line entries print it as ``error: …`` on stderr and exit with status 2, without a traceback.
    """

"""A finished picture, and the error of those who draw it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from solutions.atomic import atomic_write
from solutions.errors import CourseError


class PictureError(CourseError):
    """There is nothing to draw: no trace, or no such block, array, line or warp in it; the message lists what is."""


@dataclass(frozen=True)
class Picture:
    """A drawing that stands alone; a notebook shows it by itself.

    Attributes:
        svg: the whole SVG document, the same for the same input on every machine.
    """

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the SVG to ``path``, whole or not at all.

        Raises:
            CourseError: the folder cannot be written to, or the disk is full; the message names the path.
        """
        with atomic_write(path, "w") as handle:
            handle.write(self.svg)

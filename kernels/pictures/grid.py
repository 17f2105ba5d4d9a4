"""Rows of cells: memory in its order, with the lanes that touch it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from kernels.pictures.lanes import Lanes, colors, spoken
from kernels.pictures.sheet import FAINT, GREY, INK, LINE, MARGIN, MUTED, PAPER, SMALL, WIDTH, Sheet, number, width_of

CELL_HEIGHT, STEP, BREAK = 13.0, 15.0, 7.0
"""Of a row of cells, from one row to the next, and where rows are left out between them."""
_WIDEST = 26.0
_NARROW, _LEAST = 14.0, 9.5
"""Units of width under which the number in a cell is smaller, and which a number needs at least."""


@dataclass(frozen=True)
class Line:
    """A row of ``count`` cells from unit ``first`` on."""

    first: int
    count: int
    label: str


@dataclass(frozen=True)
class Grid:
    """Where rows of at most ``columns`` cells go on a sheet."""

    left: float
    cell: float

    @classmethod
    def of(cls, columns: int, labels: Collection[str]) -> Grid:
        """Cells as wide as the sheet allows beside the widest of ``labels``."""
        left = MARGIN + max(width_of(label, SMALL) for label in labels) + 4
        return cls(left, min(_WIDEST, (WIDTH - MARGIN - left) / columns))

    def label(self, sheet: Sheet, words: str, y: float) -> None:
        """Words to the left of a row whose middle is at ``y``."""
        sheet.text(self.left - 4, y, words, SMALL, anchor="end", color=MUTED)

    def in_column(self, sheet: Sheet, column: int, y: float, words: str, color: str, *, bold: bool = False) -> None:
        """A number in the middle of a column, never wider than it."""
        self._name(sheet, self.left + column * self.cell, y, self.cell, words, color, bold)

    @staticmethod
    def _name(sheet: Sheet, x: float, y: float, wide: float, words: str, color: str, bold: bool = False) -> None:
        size = SMALL + 1 if wide >= _NARROW else SMALL
        sheet.text(x + wide / 2, y, words, size, anchor="middle", color=color, bold=bold, fit=wide - 1.5)

    def bare(self, sheet: Sheet, line: Line, y: float, moved: Collection[int], heavy: Callable[[int], bool]) -> None:
        """The row without its lanes: ``moved`` units in grey, a stronger border before units that are ``heavy``."""
        sheet.box(self.left, y, line.count * self.cell, CELL_HEIGHT, PAPER, LINE, round_=0)
        for start, stop in runs([line.first + i in moved for i in range(line.count)]):
            if line.first + start in moved:
                sheet.box(self.left + start * self.cell, y, (stop - start) * self.cell, CELL_HEIGHT, GREY, round_=0)
        for strong in (False, True):
            inner = [i for i in range(1, line.count) if heavy(line.first + i) is strong]
            steps = "".join(f"M{number(self.left + i * self.cell)} {number(y)}v{number(CELL_HEIGHT)}" for i in inner)
            if steps:
                sheet.path(steps, MUTED if strong else FAINT, 1.2 if strong else 0.7)
        self.label(sheet, line.label, y + CELL_HEIGHT / 2)

    def room(self, units: int) -> int:
        """How many lanes' numbers fit side by side into ``units`` cells; at least 1."""
        return max(1, int(units * self.cell / _LEAST))

    def lanes(self, sheet: Sheet, line: Line, y: float, owned: Mapping[int, Lanes], named: Mapping[Lanes, str],
              where: Callable[[int, int], str]) -> None:
        """The lanes in their cells; a lane that moves several units has one wide cell.

        Args:
            named: a letter instead of numbers, for lanes that share a cell which is too narrow for them.
            where: what ``count`` units from ``first`` on are called.
        """
        row = [owned.get(line.first + i) for i in range(line.count)]
        for start, stop in runs(row):
            lanes = row[start]
            if lanes is None:
                continue
            tip = f"{spoken(lanes)}: {where(line.first + start, stop - start)}"
            parts = [(lanes, named[lanes])] if lanes in named else [((lane,), str(lane)) for lane in lanes]
            wide = (stop - start) * self.cell / len(parts)
            for place, (whose, name) in enumerate(parts):
                fill, ink = colors(whose)
                x = self.left + start * self.cell + place * wide
                sheet.box(x, y, wide, CELL_HEIGHT, fill, PAPER, tip=tip,
                          data=f'data-lanes="{" ".join(map(str, whose))}"')
                self._name(sheet, x, y + CELL_HEIGHT / 2, wide, name, ink)
            if len(parts) > 1:
                sheet.box(self.left + start * self.cell, y, (stop - start) * self.cell, CELL_HEIGHT, "none", INK,
                          round_=0)

    def outline(self, sheet: Sheet, places: Sequence[tuple[Line, float]], units: range, data: str) -> None:
        """A strong border around ``units``, which may go on in the next row."""
        steps = ""
        for line, y in places:
            start, stop = max(units.start, line.first), min(units.stop, line.first + line.count)
            if start < stop:
                wide = number((stop - start) * self.cell)
                steps += (f"M{number(self.left + (start - line.first) * self.cell)} {number(y)}"
                          f"h{wide}v{number(CELL_HEIGHT)}h-{wide}z")
        sheet.path(steps, INK, 1.5, data=data)

    def place(self, sheet: Sheet, lines: Sequence[Line], apart: int = 0) -> list[tuple[Line, float]]:
        """Each line with its y, from the sheet's cursor on, which moves below; a dotted line where lines are left out.

        ``apart`` is how many units apart neighbours begin; 0: where the one before ends.
        """
        places: list[tuple[Line, float]] = []
        for line in lines:
            if places and line.first - places[-1][0].first != (apart or places[-1][0].count):
                across = number(max(before.count for before, _ in places) * self.cell)
                sheet.path(f"M{number(self.left)} {number(sheet.y + BREAK / 2 - 1)}h{across}", LINE, dotted=True)
                sheet.y += BREAK
            places.append((line, sheet.y))
            sheet.y += STEP
        return places


def runs(row: Sequence[object]) -> list[tuple[int, int]]:
    """(start, stop) of neighbours that are equal."""
    starts = [i for i in range(len(row)) if i == 0 or row[i] != row[i - 1]]
    return list(zip(starts, [*starts[1:], len(row)], strict=True))

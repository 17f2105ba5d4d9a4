"""One request on an array in global memory: the elements that lanes touch, and the sectors that move for them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from kernels.emulator.counters import SECTOR
from kernels.pictures.choose import Request
from kernels.pictures.grid import CELL_HEIGHT, Grid, Line
from kernels.pictures.lanes import Lanes, letters, owners
from kernels.pictures.picture import PictureError
from kernels.pictures.sheet import MUTED, SMALL, Sheet

_COLUMNS, _LINE_BYTES = 32, 128


class MemoryPanel:
    """A request, laid out.

    A row of cells is a row of the array, or a part of one where rows are longer than 32 elements; without a shape, and
    where a row is shorter than a sector, it is 128 bytes of memory.

    Args:
        shape: of the array, in elements; None if nothing is known of it.
        element: bytes of one element.

    Raises:
        PictureError: the request goes beyond the shape.
    """

    def __init__(self, request: Request, shape: tuple[int, ...] | None, element: int) -> None:
        self.request, self._shape, self._element = request, shape, element
        access = request.access
        self._owned = owners(access, element)
        if shape is not None and max(self._owned) >= prod(shape):
            raise PictureError(f"shape {shape} has {prod(shape):,} elements, but line {access.line} touches element "
                               f"{max(self._owned):,} of {access.array}; give the shape of the whole array")
        touched = {offset + byte for _, offset in access.lanes for byte in range(access.size)}
        self._sectors = sorted({byte // SECTOR for byte in touched})
        self._used = len(touched)
        row = shape[-1] if shape is not None and len(shape) > 1 else 0
        self._row = row if row * element >= SECTOR else 0
        self._lines = self._layout()
        self.columns = max(line.count for line in self._lines)
        self.labels = (self._heading, *(line.label for line in self._lines))

    @property
    def rows(self) -> int:
        """Rows of cells."""
        return len(self._lines)

    @property
    def verdict(self) -> tuple[str, bool]:
        """The count in words, and whether fewer sectors hold as many bytes."""
        count = len(self._sectors)
        return f"1 request, {count} sector{'s' if count > 1 else ''}", count > -(-self._used // SECTOR)

    @property
    def detail(self) -> str:
        """How much of what moves is used."""
        part = ""
        if self._heading == "row" and self._row > self.columns:
            part = f"; columns {self._chunks[0]}–{self._chunks[0] + self.columns - 1}"
        return f"{self._used:,} of {len(self._sectors) * SECTOR:,} used{part}"

    @property
    def reach(self) -> str:
        """The elements touched, from the first to the last."""
        first, last = min(self._owned), max(self._owned)
        return f"{self.request.access.array}[{self._index(first)}] to [{self._index(last)}]"

    def draw(self, sheet: Sheet, grid: Grid) -> dict[Lanes, str]:
        """Draw the cells at the cursor; the letters in them are the answer."""
        self._head(sheet, grid)
        places = grid.place(sheet, self._lines, self._row if self._heading == "row" else 0)
        moved = {unit for sector in self._sectors for unit in self._units(sector)}
        named = letters(self._owned, grid.room(max(1, self.request.access.size // self._element)))
        for line, y in places:
            grid.bare(sheet, line, y, moved, lambda unit: unit * self._element % SECTOR == 0)
            grid.lanes(sheet, line, y, self._owned, named, self._where)
        for sector in self._sectors:
            grid.outline(sheet, places, self._units(sector), f'data-sector="{sector}"')
        return named

    def _head(self, sheet: Sheet, grid: Grid) -> None:
        """Numbers of the columns, at each sector of the first row."""
        y = sheet.y + SMALL / 2
        grid.label(sheet, self._heading, y)
        plus, start = ("", self._chunks[0]) if self._row and len(self._chunks) == 1 else ("+", 0)
        for column in range(0, self.columns, min(8, SECTOR // self._element)):
            sheet.text(grid.left + column * grid.cell, y, f"{plus}{start + column:,}", SMALL, color=MUTED)
        sheet.y += CELL_HEIGHT

    def _layout(self) -> list[Line]:
        """The rows of cells that hold the sectors, in the order of memory."""
        firsts: dict[int, int] = {}
        for sector in self._sectors:
            for unit in self._units(sector):
                first, count = self._line_of(unit)
                firsts[first] = count
        self._chunks = sorted({first % self._row for first in firsts} if self._row else {0})
        self._heading = "row" if self._row and len(self._chunks) == 1 else "index"
        return [Line(first, firsts[first], self._label(first)) for first in sorted(firsts)]

    def _line_of(self, unit: int) -> tuple[int, int]:
        """(first unit, units) of the row of cells with this unit."""
        wide = min(_COLUMNS, _LINE_BYTES // self._element)
        if not self._row:
            first = unit // wide * wide
            return first, wide if self._shape is None else min(wide, prod(self._shape) - first)
        start = unit - unit % self._row
        first = start + (unit - start) // wide * wide
        return first, min(wide, start + self._row - first)

    def _units(self, sector: int) -> range:
        """The elements in a sector, those of the array only."""
        each = SECTOR // self._element
        stop = (sector + 1) * each
        return range(sector * each, stop if self._shape is None else min(stop, prod(self._shape)))

    def _label(self, unit: int) -> str:
        index = self._index(unit)
        return index.rpartition(", ")[0] if self._heading == "row" else index

    def _index(self, unit: int) -> str:
        """The element's index, one number an axis."""
        return index_of(unit, self._shape)

    def _where(self, unit: int, count: int) -> str:
        last = f" to [{self._index(unit + count - 1)}]" if count > 1 else ""
        return f"{self.request.access.array}[{self._index(unit)}]{last}"


def index_of(unit: int, shape: Sequence[int] | None) -> str:
    """Where element number ``unit`` is in an array of this shape: ``3, 5``."""
    if shape is None or len(shape) == 1:
        return str(unit)
    index: list[str] = []
    for axis in reversed(shape[1:]):
        unit, here = divmod(unit, axis)
        index.insert(0, str(here))
    return ", ".join([str(unit), *index])

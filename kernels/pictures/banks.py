"""One request on shared memory: the words that lanes touch, under the banks that hold them."""

from __future__ import annotations

from collections import Counter
from math import prod

from kernels.emulator.counters import BANKS, passes_of
from kernels.pictures.choose import Request
from kernels.pictures.grid import CELL_HEIGHT, Grid, Line
from kernels.pictures.lanes import Lanes, letters, owners
from kernels.pictures.memory import index_of
from kernels.pictures.picture import PictureError
from kernels.pictures.sheet import DARK_PINK, MUTED, PINK, SMALL, Sheet

WORD = 4


class BankPanel:
    """A request, laid out: a column a bank, a row 32 words.

    Args:
        shape: of the array, in elements; None if nothing is known of it. Where a row of the array begins, the cells
            have a stronger border.
        element: bytes of one element.

    Raises:
        PictureError: the request goes beyond the shape.
    """

    columns = BANKS

    def __init__(self, request: Request, shape: tuple[int, ...] | None, element: int) -> None:
        self.request, self._shape, self._element = request, shape, element
        access = request.access
        self._owned = owners(access, WORD)
        last = max(offset + access.size - 1 for _, offset in access.lanes) // element
        if shape is not None and last >= prod(shape):
            raise PictureError(f"shape {shape} has {prod(shape):,} elements, but line {access.line} touches element "
                               f"{last:,} of {access.array}; give the shape of the whole array")
        self._groups = groups(request)
        self._turns: Counter[int] = Counter()
        self._full: set[int] = set()
        for words in self._groups:
            turns = Counter(word % BANKS for word in words)
            self._turns += turns
            self._full |= {bank for bank, count in turns.items() if count > 1}
        rows = sorted({word // BANKS for word in self._owned})
        self._lines = [Line(row * BANKS, BANKS, f"{row * BANKS:,}") for row in rows]
        self.labels = ("bank", "turns", *(line.label for line in self._lines))

    @property
    def rows(self) -> int:
        """Rows of cells."""
        return len(self._lines)

    @property
    def verdict(self) -> tuple[str, bool]:
        """Passes in words, and whether there are conflicts."""
        passes, ideal = self.request.access.passes, len(self._groups)
        return f"passes: {passes} ({f'{ideal} without' if passes > ideal else 'no'} conflicts)", passes > ideal

    @property
    def detail(self) -> str:
        """In how many groups the lanes are served, and what comes in the way."""
        parts = []
        if len(self._groups) > 1:
            parts.append(f"served in {len(self._groups)} groups")
        turns = {self._turns[bank] for bank in self._full}
        if len(self._full) == 1:
            parts.append(f"bank {min(self._full)} turns {max(turns)} times")
        elif self._full:
            parts.append(f"{len(self._full)} banks turn {'up to ' if len(turns) > 1 else ''}{max(turns)} times")
        return ", ".join(parts) or "no bank turns twice"

    @property
    def rows_within(self) -> bool:
        """Rows of the array begin at other banks than the first."""
        return self._shape is not None and len(self._shape) > 1 and self._shape[-1] * self._element % (BANKS * WORD) > 0

    @property
    def reach(self) -> str:
        """The words touched, from the first to the last."""
        return f"words {min(self._owned):,} to {max(self._owned):,} of {self.request.access.array}"

    def draw(self, sheet: Sheet, grid: Grid) -> dict[Lanes, str]:
        """Draw the banks and the cells at the cursor; the letters in them are the answer."""
        y = sheet.y + CELL_HEIGHT / 2 - 1
        grid.label(sheet, "bank", y)
        for bank in range(BANKS):
            self._mark(sheet, grid, bank, y)
            full = bank in self._full
            grid.in_column(sheet, bank, y, str(bank), DARK_PINK if full else MUTED, bold=full)
        sheet.y += CELL_HEIGHT
        named = letters(self._owned, grid.room(max(1, self.request.access.size // WORD)))
        for line, place in grid.place(sheet, self._lines):
            grid.bare(sheet, line, place, (), self._begins_row)
            grid.lanes(sheet, line, place, self._owned, named, self._where)
        if self._full:
            y = sheet.y + CELL_HEIGHT / 2 - 1
            grid.label(sheet, "turns", y)
            for bank in sorted(self._full):
                self._mark(sheet, grid, bank, y)
                grid.in_column(sheet, bank, y, str(self._turns[bank]), DARK_PINK, bold=True)
            sheet.y += CELL_HEIGHT
        return named

    def _mark(self, sheet: Sheet, grid: Grid, bank: int, y: float) -> None:
        if bank in self._full:
            sheet.box(grid.left + bank * grid.cell + 0.5, y - SMALL / 2 - 1, grid.cell - 1, SMALL + 2, PINK,
                      data=f'data-bank="{bank}"')

    def _begins_row(self, word: int) -> bool:
        return self._shape is not None and len(self._shape) > 1 and word * WORD % (self._shape[-1] * self._element) == 0

    def _where(self, word: int, count: int) -> str:
        array, bank = self.request.access.array, word % BANKS
        first, last = word * WORD // self._element, ((word + count) * WORD - 1) // self._element
        to = f" to [{index_of(last, self._shape)}]" if last > first else ""
        banks = f"banks {bank} to {bank + count - 1}" if count > 1 else f"bank {bank}"
        return f"{array}[{index_of(first, self._shape)}]{to}, {banks}"


def groups(request: Request) -> list[set[int]]:
    """The words wanted by each group of lanes that is served together.

    How many lanes a group has follows from the counts: it is the number under which they come out as counted.
    """
    access = request.access
    ideal = passes_of(access.lanes, access.size, access.op)[1]
    for size in (32, 16, 8):
        found: dict[int, set[int]] = {}
        for lane, offset in access.lanes:
            words = range(offset // WORD, (offset + access.size - 1) // WORD + 1)
            found.setdefault(lane // size, set()).update(words)
        passes = sum(max(Counter(word % BANKS for word in words).values()) for words in found.values())
        if (passes, len(found)) == (access.passes, ideal):
            return [found[group] for group in sorted(found)]
    raise PictureError(f"line {access.line}: {access.passes} passes do not follow from the addresses; "
                       "take the report from kernel.inspect(..., trace=True)")

"""What each source line costs, as bars: requests, sectors a request, passes over the banks, warps that split."""

from __future__ import annotations

from collections.abc import Sequence

from kernels.emulator.counters import BranchCount, Counters, LineCount
from kernels.pictures.picture import Picture, PictureError
from kernels.pictures.sheet import (
    BLUE,
    BODY,
    DARK_BLUE,
    DARK_ORANGE,
    DARK_PINK,
    HEAD,
    INK,
    LINE,
    MARGIN,
    MUTED,
    ORANGE,
    PINK,
    TITLE,
    WIDTH,
    Sheet,
    number,
    shorten,
    width_of,
)

MAX_ROWS = 24
"""Bars of so many kinds of access are drawn; of more, those with the most requests."""
_LEFT, _THICK, _STEP = 104.0, 10.0, 15.0
_WORST = 32
"""Sectors a request, where each lane has one of its own."""
TITLE_WORDS = "What each source line asks of memory"


def counters_picture(counters: Counters, source_text: str | None = None) -> Picture:
    """Draw the counters of a launch by source line.

    Args:
        counters: of ``kernel.inspect(...).counters``.
        source_text: the kernel's text; each line is then written above its bars.

    Raises:
        PictureError: these are no counters, or the launch touched no memory and no warp split.
    """
    if not isinstance(counters, Counters):
        raise PictureError(f"counters come from kernel.inspect(...).counters, not from {type(counters).__name__}")
    splits = [branch for branch in counters.branches if branch.divergent]
    if not counters.lines and not splits:
        raise PictureError("the counters are empty: the launch touched no global or shared memory, and no warp split")
    rows = sorted(sorted(counters.lines, key=lambda row: -row.requests)[:MAX_ROWS], key=lambda row: row.line)
    splits = splits[:MAX_ROWS]
    bars = _Bars(counters, source_text.split("\n") if source_text is not None else [])
    launch = (f"{_count(counters.threads, 'thread')} in {_count(counters.warps, 'warp')} of "
              f"{_count(counters.blocks, 'block')}")
    if counters.barriers:
        launch += f"; {_count(counters.barriers, 'barrier')} passed by warps"
    bars.sheet.paragraph(TITLE_WORDS, TITLE, bold=True)
    bars.sheet.paragraph(launch, color=MUTED)
    sentences = []
    for line in sorted({row.line for row in rows} | {branch.line for branch in splits}):
        bars.head(line)
        sentences += [bars.access(row) for row in rows if row.line == line]
        sentences += [bars.split(branch) for branch in splits if branch.line == line]
    if any(row.space == "global" for row in rows):
        bars.sheet.y += 8
        bars.sheet.paragraph("The mark is the ideal: the 32 lanes of a warp side by side.", color=MUTED)
    missing = len(counters.lines) - len(rows)
    left_out = f"Left out: {_count(missing, 'kind')} of access with fewer requests." if missing else ""
    if left_out:
        bars.sheet.y += 8
        bars.sheet.paragraph(left_out, bold=True)
    return Picture(bars.sheet.finish(TITLE_WORDS, " ".join([f"{launch}.", *sentences, left_out])))


class _Bars:
    """The sheet, with the scale of each kind of bar."""

    def __init__(self, counters: Counters, text: Sequence[str]) -> None:
        self.sheet, self._text = Sheet(), text
        self._requests = max((row.requests for row in counters.lines), default=1)
        self._passes = max((row.passes for row in counters.lines), default=1)
        counts = [f"{row.requests:,}" for row in counters.lines] + [f"{row.passes:,}" for row in counters.lines]
        counts += [_ideal(row) for row in counters.lines if row.space == "global"]
        counts += [_splits(branch) for branch in counters.branches if branch.divergent]
        self._full = WIDTH - MARGIN - _LEFT - 8 - max(width_of(words, BODY) for words in counts)
        self._sectors = max([_WORST, *(row.sectors_per_request for row in counters.lines)])

    def head(self, line: int) -> None:
        """The line's number and text."""
        sheet = self.sheet
        sheet.y += 9
        sheet.path(f"M{MARGIN} {number(sheet.y)}h{WIDTH - 2 * MARGIN}", LINE)
        sheet.y += 12
        name = f"line {line}"
        sheet.text(MARGIN, sheet.y, name, HEAD, bold=True)
        if 0 < line <= len(self._text):
            x = MARGIN + width_of(name, HEAD, bold=True) + 8
            code = shorten(self._text[line - 1], WIDTH - MARGIN - x, BODY, mono=True)
            sheet.text(x, sheet.y, code, BODY, mono=True)
        sheet.y += 9

    def access(self, row: LineCount) -> str:
        """The bars of one kind of access; what they say, in a sentence."""
        what = f"{row.op}, {row.space} memory, {_count(row.size, 'byte')} a lane"
        self.sheet.y += 2
        self.sheet.paragraph(what, color=MUTED)
        requests = f"{row.requests:,}"
        self._bar("requests", row.requests / self._requests, requests, BLUE, DARK_BLUE)
        if row.space == "global":
            rate = row.sectors_per_request
            words = _ideal(row)
            high = rate > row.size
            self._bar("sectors a request", rate / self._sectors, words, ORANGE if high else BLUE,
                      DARK_ORANGE if high else DARK_BLUE, row.size / self._sectors)
            return f"Line {row.line}, {what}: {requests} requests, {words} sectors a request."
        self._bar("passes", row.passes / self._passes, f"{row.passes:,}", BLUE, DARK_BLUE)
        self._bar("conflicts", row.conflicts / self._passes, f"{row.conflicts:,}", PINK, DARK_PINK)
        return (f"Line {row.line}, {what}: {requests} requests, {row.passes:,} passes, "
                f"of them {row.conflicts:,} conflicts.")

    def split(self, branch: BranchCount) -> str:
        """The bar of a branch at which warps split."""
        words = _splits(branch)
        self.sheet.y += 2
        self._bar("warps that split", branch.divergent / branch.warps, words, PINK, DARK_PINK)
        return f"Line {branch.line}: {words} warps split."

    def _bar(self, name: str, share: float, words: str, fill: str, edge: str, ideal: float | None = None) -> None:
        sheet, y = self.sheet, self.sheet.y
        sheet.text(_LEFT - 6, y + _STEP / 2, name, BODY, anchor="end")
        sheet.path(f"M{number(_LEFT)} {number(y + 1)}v{_STEP - 2:g}", MUTED)
        if share > 0:
            sheet.box(_LEFT, y + (_STEP - _THICK) / 2, max(1.5, share * self._full), _THICK, fill, edge, round_=1,
                      data=f'data-bar="{name}"')
        if ideal is not None:
            mark = f"M{number(_LEFT + ideal * self._full)} {number(y)}v{number(_STEP)}"
            sheet.path(mark, INK, 1.6, data='data-ideal=""')
        end = _LEFT + max(share, ideal or 0) * self._full + 6
        sheet.text(end, y + _STEP / 2, words)
        sheet.y += _STEP


def _ideal(row: LineCount) -> str:
    return f"{row.sectors_per_request:.2f} (ideal {row.size})"


def _splits(branch: BranchCount) -> str:
    return f"{branch.divergent:,} of {branch.warps:,}"


def _count(many: int, what: str) -> str:
    return f"{many:,} {what}{'' if many == 1 else 's'}"

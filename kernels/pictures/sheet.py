"""White paper of 380 units across: boxes, lines and words, with a cursor that moves down.

A phone of 390 pixels shows a unit about as a pixel, a desktop as 1.7; no text is smaller than 9 units. Style is said by
attributes of the elements, since a style sheet inside an SVG would leak into the page around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

INK, MUTED, PAPER, LINE, FAINT, GREY = "#1f2933", "#5f6b7a", "#ffffff", "#9aa5b1", "#d5dae0", "#e6e9ed"
BLUE, ORANGE, PINK = "#b4d6ff", "#ffd08c", "#f9d0dc"
DARK_BLUE, DARK_ORANGE, DARK_PINK = "#1d5fb8", "#a85a00", "#a3204c"

WIDTH, MARGIN, SHOWN = 380, 8, 640
SMALL, BODY, HEAD, TITLE = 9, 10.5, 12, 14
"""Sizes of text in units."""
_SANS = "system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif"
_MONO = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"
_ADVANCES = ((0.3, "'Iijl"), (0.35, " ,./:;|·"), (0.4, "()-[]ft"), (0.45, "!r"), (0.53, '"*csz'), (0.6, "kvxy_L?F"),
             (0.65, "0123456789abdeghnopqu"), (0.7, "ABEKPSVXYZT{}"), (0.8, "CDGHNOQRU&"), (0.84, "#+<=>^w~×"),
             (1.0, "MmW%@…"))
_NOT_WIDE = "–‘’“”"
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def number(value: float) -> str:
    """A coordinate, to a hundredth of a unit."""
    return f"{round(value, 2):.10g}"


def clean(words: str) -> str:
    """``words`` in one line, without the characters that XML does not allow."""
    return " ".join(_FORBIDDEN.sub("\ufffd", words).split())


def width_of(words: str, size: float, bold: bool = False, mono: bool = False) -> float:
    """About how many units ``words`` are wide in DejaVu Sans, the widest font that a page is likely to have."""
    return size * sum(_advance(letter, bold, mono) for letter in words)


def _advance(letter: str, bold: bool, mono: bool) -> float:
    """Of one letter, in widths of its font."""
    if (mono and ord(letter) < 0x1100) or letter in _NOT_WIDE:
        wide = 0.61 if mono else 0.6
    else:
        wide = next((width for width, letters in _ADVANCES if letter in letters), 1.2 if letter > "~" else 0.65)
    return wide * (1 if mono else 1.14 if bold else 1)


def shorten(words: str, room: float, size: float, bold: bool = False, mono: bool = False) -> str:
    """``words``, or as many of their letters as fit into ``room`` units, and an ellipsis."""
    words = clean(words)
    if width_of(words, size, bold, mono) <= room:
        return words
    while words and width_of(words + "…", size, bold, mono) > room:
        words = words[:-1]
    return words.rstrip() + "…"


def wrap(words: str, room: float, size: float, bold: bool = False) -> list[str]:
    """``words`` in lines of at most ``room`` units; a word longer than that is shortened."""
    lines: list[str] = []
    for word in clean(words).split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size, bold) <= room:
            lines[-1] = longer
        else:
            lines.append(shorten(word, room, size, bold))
    return lines


class Sheet:
    """What is drawn so far. ``y`` is how far down; whoever draws moves it on."""

    def __init__(self) -> None:
        self.y: float = MARGIN
        self._parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, fill: str, stroke: str = "", *,
            thick: float = 1, round_: float = 2, tip: str = "", data: str = "") -> None:
        """A rectangle; ``tip`` is shown under the mouse, ``data`` an attribute for whoever reads the SVG."""
        edge = f' stroke="{stroke}" stroke-width="{number(thick)}"' if stroke else ""
        corner = f' rx="{number(round_)}"' if round_ else ""
        end = f"><title>{escape(clean(tip))}</title></rect>" if tip else "/>"
        self._parts.append(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
                           f'{corner} fill="{fill}"{edge}{data and " " + data}{end}')

    def path(self, steps: str, stroke: str, thick: float = 1, *, dotted: bool = False, data: str = "") -> None:
        """A line along the path ``steps``."""
        dash = ' stroke-dasharray="1.5 3"' if dotted else ""
        self._parts.append(f'<path d="{steps}" fill="none" stroke="{stroke}" stroke-width="{number(thick)}"{dash}'
                           f'{data and " " + data}/>')

    def text(self, x: float, y: float, words: str, size: float = BODY, *, anchor: str = "start", color: str = INK,
             bold: bool = False, mono: bool = False, fit: float = 0) -> None:
        """One line of words with its middle at ``y``; with ``fit`` squeezed to so many units if it may be wider."""
        style = f' font-family="{_MONO}"' if mono else ""
        style += ' font-weight="600"' if bold else ""
        if fit and width_of(words, size, bold, mono) > fit:
            style += f' textLength="{number(fit)}" lengthAdjust="spacingAndGlyphs"'
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(f'<text x="{number(x)}" y="{number(y + 0.35 * size)}" font-size="{number(size)}"'
                           f' fill="{color}"{place}{style}>{escape(words)}</text>')

    def paragraph(self, words: str, size: float = BODY, *, color: str = INK, bold: bool = False,
                  x: float = MARGIN) -> None:
        """Words in as many lines as they need, at the cursor."""
        for line in wrap(words, WIDTH - MARGIN - x, size, bold):
            self.text(x, self.y + 0.65 * size, line, size, color=color, bold=bold)
            self.y += 1.35 * size

    def items(self, name: str, items: Sequence[str]) -> None:
        """``name`` and its items in as many lines as they need; none is broken."""
        room = WIDTH - 2 * MARGIN
        lines = [name]
        for item in [*(f"{item};" for item in items[:-1]), *items[-1:]]:
            if width_of(f"{lines[-1]} {item}", BODY) <= room:
                lines[-1] = f"{lines[-1]} {item}"
            else:
                lines.append(item)
        for line in lines:
            self.text(MARGIN, self.y + 0.65 * BODY, shorten(line, room, BODY))
            self.y += 1.35 * BODY

    def finish(self, title: str, description: str) -> str:
        """The SVG. ``title`` and ``description`` are what a screen reader says."""
        height = number(self.y + MARGIN)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{SHOWN}" role="img"'
            f' aria-label={quoteattr(clean(title))} style="width:100%;max-width:{SHOWN}px;height:auto"'
            f' font-family="{_SANS}">'
        )
        return "\n".join([
            head, f"<title>{escape(clean(title))}</title>", f"<desc>{escape(clean(description))}</desc>",
            f'<rect width="{WIDTH}" height="{height}" rx="8" fill="{PAPER}"/>', *self._parts, "</svg>", "",
        ])

"""A sheet to draw on: boxes, cells of memory, arrows and words, as an SVG that reads well on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

INK, MUTED, PAPER, LINE = "#1f2933", "#5f6b7a", "#ffffff", "#9aa5b1"
BLUE, ORANGE, GREEN, PINK, GREY = "#cfe4ff", "#ffe0b8", "#cdeccd", "#f9d0dc", "#eceff3"
"""Fills for cells. They differ in lightness too, so the pictures survive a black-and-white print."""
STRONG = {BLUE: "#1d6fd1", ORANGE: "#c26a00", GREEN: "#2a7d2a", PINK: "#b3315a", GREY: "#5f6b7a"}
"""The stroke that goes with each fill."""


class Canvas:
    """An SVG of ``width`` × ``height`` units; 1 unit is 1 CSS pixel at full size, and it scales down on a phone."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width, self.height = width, height
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"'
            ' font-family="system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif">',
            f"<title>{escape(title)}</title>",
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"'
            f' orient="auto-start-reverse"><path d="M0 0 L10 5 L0 10 z" fill="{INK}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>',
        ]

    def box(self, x: float, y: float, width: float, height: float, fill: str = GREY, stroke: str | None = None) -> None:
        """A rectangle; its stroke goes with its fill unless told."""
        edge = stroke or STRONG.get(fill, LINE)
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" fill="{fill}" stroke="{edge}"/>'
        )

    def text(
        self, x: float, y: float, words: str, size: int = 15, anchor: str = "middle", color: str = INK,
        bold: bool = False, mono: bool = False,
    ) -> None:
        """One line of words; ``y`` is the middle of the line, ``anchor`` start, middle or end."""
        style = ' font-weight="600"' if bold else ""
        style += ' font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"' if mono else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" text-anchor="{anchor}"'
            f' dominant-baseline="central"{style}>{escape(words)}</text>'
        )

    def cells(
        self, x: float, y: float, labels: Sequence[str], fills: str | Sequence[str] = GREY,
        size: float = 40, vertical: bool = False,
    ) -> None:
        """A row (or column) of memory cells with a label in each."""
        for position, label in enumerate(labels):
            fill = fills if isinstance(fills, str) else fills[position]
            left = x if vertical else x + position * size
            top = y + position * size if vertical else y
            self.box(left, top, size, size, fill)
            self.text(left + size / 2, top + size / 2, label, size=14, mono=True)

    def arrow(self, x1: float, y1: float, x2: float, y2: float, dashed: bool = False, color: str = INK) -> None:
        """A straight arrow from the first point to the second."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" stroke-width="1.6"'
            f' marker-end="url(#tip)"{dash}/>'
        )

    def curve(self, x1: float, y1: float, x2: float, y2: float, bend: float, color: str = INK) -> None:
        """A bent arrow; ``bend`` is how far its middle is pulled down (negative: up)."""
        middle_x, middle_y = (x1 + x2) / 2, (y1 + y2) / 2 + bend
        self._parts.append(
            f'<path d="M{x1:g} {y1:g} Q{middle_x:g} {middle_y:g} {x2:g} {y2:g}" fill="none" stroke="{color}"'
            ' stroke-width="1.6" marker-end="url(#tip)"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, color: str = LINE, width: float = 1.2) -> None:
        """A plain line."""
        self._parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" stroke-width="{width:g}"/>'
        )

    def svg(self) -> str:
        """The whole picture."""
        return "\n".join([*self._parts, "</svg>", ""])

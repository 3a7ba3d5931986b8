"""A small canvas: shapes and texts, written as SVG."""

from __future__ import annotations

from html import escape

TEAL, GREY, RED, AMBER, INK = "#00796b", "#90a4ae", "#c62828", "#f9a825", "#263238"
PALE_TEAL, PALE_GREY, PALE_RED = "#b2dfdb", "#eceff1", "#ffcdd2"


class Canvas:
    """Collects shapes; `svg` gives the file."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._size = (width, height)
        self._title = title
        self._parts: list[str] = []

    def rect(
        self, left: float, top: float, width: float, height: float, *, fill: str, line: str = "none"
    ) -> None:
        """Draw a box with round corners."""
        self._parts.append(
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="4" '
            f'fill="{fill}" stroke="{line}"/>'
        )

    def line(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        colour: str,
        *,
        dashed: bool = False,
    ) -> None:
        """Draw a straight line."""
        dashes = ' stroke-dasharray="4 4"' if dashed else ""
        self._parts.append(
            f'<line x1="{start[0]:g}" y1="{start[1]:g}" x2="{end[0]:g}" y2="{end[1]:g}" '
            f'stroke="{colour}" stroke-width="1.5"{dashes}/>'
        )

    def dot(self, x: float, y: float, colour: str) -> None:
        """Draw a record."""
        self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="6" fill="{colour}"/>')

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: str = "start",
        colour: str = INK,
        size: int = 13,
    ) -> None:
        """Write a text; `y` is its base line."""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{colour}">{escape(text)}</text>'
        )

    def svg(self) -> str:
        """Return the picture."""
        width, height = self._size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="system-ui, sans-serif" role="img">'
        )
        ground = (
            f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff" stroke="{PALE_GREY}"/>'
        )
        title = f"<title>{escape(self._title)}</title>"
        return "\n".join([head, title, ground, *self._parts, "</svg>", ""])

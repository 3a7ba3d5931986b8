"""Writes all reference pages into docs/reference."""

from __future__ import annotations

from pathlib import Path

from scripts.reference import java_page, settings_page

FOLDER = Path(__file__).parents[2] / "docs" / "reference"

PAGES = {"java.md": java_page.page, "settings.md": settings_page.page}
"""The files, and what writes each."""


def main() -> None:
    """Write."""
    FOLDER.mkdir(exist_ok=True)
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Writes all reference pages into docs/reference; with --java, Java's names are asked for anew."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from scripts.reference import java_page, metrics_page, settings_page

FOLDER = Path(__file__).parents[2] / "docs" / "reference"

PAGES = {
    "java.md": java_page.page,
    "metrics.md": metrics_page.page,
    "settings.md": settings_page.page,
}
"""The files, and what writes each."""


def main() -> None:
    """Write."""
    if "--java" in sys.argv[1:]:
        _ask_java()
    FOLDER.mkdir(exist_ok=True)
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")


def _ask_java() -> None:
    # It needs a JDK and Kafka's jars; writing the pages does not.
    from conformance.java import KAFKA_VERSION  # noqa: PLC0415
    from scripts.reference import java_classes  # noqa: PLC0415

    api = {
        "version": KAFKA_VERSION,
        "types": java_classes.methods(),
        "settings": java_classes.settings(),
    }
    java_page.JAVA_API.write_text(json.dumps(api, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

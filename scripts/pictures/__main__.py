"""Draws all pictures into docs/pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from penstock import Consumed, Grouped, Materialized, Produced, StreamsBuilder, serdes
from scripts.pictures import commits, windows

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def word_count() -> str:
    """Draw the topology of a word count, as `penstock describe --format svg` does."""
    text, number = serdes.string(), serdes.long()
    builder = StreamsBuilder()
    (
        builder.stream("lines", Consumed(key=text, value=text))
        .flat_map_values(str.split)
        .group_by(lambda _, word: word, Grouped("by-word", key=text, value=text))
        .count(Materialized("counts", key=text, value=number))
        .to_stream()
        .to("word-counts", Produced(key=text, value=number))
    )
    return builder.build().to_svg()


PICTURES: dict[str, Callable[[], str]] = {
    **{f"{name}.svg": partial(windows.picture, name) for name in windows.WINDOWS},
    "join-window.svg": windows.join_picture,
    "late.svg": windows.late_picture,
    "commit.svg": commits.commit_picture,
    "log.svg": commits.log_picture,
    "word-count.svg": word_count,
}
"""The files, and what draws each."""


def main() -> None:
    """Draw."""
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()

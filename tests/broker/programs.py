"""Programs as files, for the commands."""

from __future__ import annotations

from pathlib import Path

COUNTING = """
from penstock import Consumed, Grouped, KafkaStreams, Materialized, Produced, StreamsBuilder, serdes

text, number = serdes.string(), serdes.long()
builder = StreamsBuilder()
(
    builder.stream("{lines}", Consumed(text, text))
    .group_by(lambda key, word: word, Grouped("by-word", key=text, value=text))
    .count(Materialized("counts", key=text, value=number))
    .to_stream()
    .to("{counts}", Produced(text, number))
)

if __name__ == "__main__":
    settings = {{"application.id": "{name}", "processing.guarantee": "exactly_once_v2"}}
    KafkaStreams(builder.build(), settings).run()
"""


def counting(folder: Path, name: str, lines: str, counts: str) -> str:
    """Write a program that counts the words of a topic; give its path."""
    path = folder / "counting.py"
    path.write_text(COUNTING.format(name=name, lines=lines, counts=counts))
    return str(path)

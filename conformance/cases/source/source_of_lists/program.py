"""Lists are written as Java's ListSerde writes them: of a fixed width, and of any."""

from collections.abc import Callable
from typing import Any

from penstock import Consumed, Produced, StreamsBuilder, Topology, serdes
from penstock.serdes import Serde


def _numbers(text: str) -> list[int | None]:
    return [None if part == "-" else int(part) for part in text.split(",") if part]


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    words: Serde[Any] = serdes.list_of(text)
    numbers: Serde[Any] = serdes.list_of(serdes.integer())
    stream = builder.stream("in", Consumed(text, text))
    stream.map_values(_numbers).to("numbers", Produced(text, numbers))
    to_words = stream.map_values(lambda value: [None if w == "-" else w for w in value.split(",")])
    to_words.to("words", Produced(text, words))
    read = builder.stream("numbers", Consumed(text, numbers))
    read.map_values(lambda value: " ".join(map(str, value)).replace("None", "null")).to("out")
    return builder.build()

"""Lines for the word count: a few words in nearly every line, most of them seldom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from examples.stage.lifelike import between, happens, pick
from examples.stage.show import Answer, Message, Show, Stored
from examples.stage.tables import ROWS, table
from examples.word_count import number, text, topology

WORDS = (
    *("the", "river", "of", "and", "a", "water", "turns", "wheel", "in", "mill", "under", "bridge"),
    *("keeper", "lantern", "valley", "dam", "boat", "night", "spring", "rain", "reservoir"),
    *("turbine", "kingfisher", "town", "dawn", "lock", "weir", "sluice", "miller", "stone"),
)


class WordCount(Show):
    name = "word_count"
    about = "each word of each line, counted; by a key that is not the line's"
    inputs = ("lines",)
    outputs = ("word-counts",)
    rate, step_ms = 60, 1000

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    topology = staticmethod(topology)

    def messages(self, number: int, at: int) -> Iterator[Message]:
        length = between(3, 9, "length", number)
        words = (pick(WORDS, "word", number, place, favour=2.5) for place in range(length))
        line = " ".join(words)
        if happens(0.05, "shouted", number):
            line = line.upper()
        if happens(0.02, "empty", number):
            line = ""
        yield Message("lines", str(number).encode(), line.encode(), at)

    def take(self, record: Stored) -> None:
        self._counts.update(_counts([record]))

    def lines(self) -> list[str]:
        top = sorted(self._counts.items(), key=lambda item: (-item[1], item[0]))[:ROWS]
        most = top[0][1] if top else 1
        rows = [(word, count, "█" * round(30 * count / most)) for word, count in top]
        counted = sum(self._counts.values())
        return table(f"WORDS ({counted:,} counted)", ("word", "count", ""), rows)

    def expected(self, inputs: Iterable[Stored]) -> Answer:
        lines = ((record.value or b"").decode().lower() for record in inputs)
        return {"words": dict(Counter(word for line in lines for word in line.split()))}

    def actual(self, outputs: Iterable[Stored]) -> Answer:
        return {"words": _counts(outputs)}


def _counts(outputs: Iterable[Stored]) -> dict[str, int]:
    """Give the latest count of each word."""
    return {
        text.deserialize(record.topic, record.key) or "": number.deserialize(
            record.topic, record.value
        )
        or 0
        for record in outputs
    }

"""An aggregate that is changed in place is changed in its own window only."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes
from penstock.serdes import Serde


class Words(Serde[list[str]]):
    def encode(self, value: list[str]) -> bytes:
        return ",".join(value).encode()

    def decode(self, data: bytes) -> list[str]:
        return data.decode().split(",")


def collect(key: str, value: str, words: list[str]) -> list[str]:
    words.append(value)
    return words


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    sums = grouped.windowed_by(TimeWindows.of_size(10, advance=5, grace=20)).aggregate(
        list, collect, Materialized("lists", value=Words())
    )
    sums.to_stream(lambda key, words: str(key)).map_values(" ".join).to("out")
    few = sums.filter(lambda key, words: len(words) < 3).to_stream(lambda key, words: str(key))
    few.map_values(lambda words: None if words is None else " ".join(words)).to("few")
    return builder.build()

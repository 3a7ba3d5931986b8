"""An aggregator may change its aggregate and return it."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology
from penstock.serdes import Serde


class Words(Serde[list[str]]):
    def encode(self, value: list[str]) -> bytes:
        return ",".join(value).encode()

    def decode(self, data: bytes) -> list[str]:
        return data.decode().split(",")


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def collect(key: str, value: str, words: list[str]) -> list[str]:
        words.append(value)
        return words

    table = (
        builder.stream("in")
        .group_by_key()
        .aggregate(list, collect, Materialized("lists", value=Words()))
    )
    few = table.filter(lambda key, words: len(words) < 3).to_stream()
    few.map_values(lambda words: None if words is None else " ".join(words)).to("few")
    table.to_stream().map_values(" ".join).to("out")
    return builder.build()

"""Who gives the serdes of a table's store: its own Materialized, if one is given, and nobody
above it.
"""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology, serdes
from penstock.serdes import Serde


class Shout(Serde[str]):
    def encode(self, value: str) -> bytes:
        return value.upper().encode()

    def decode(self, data: bytes) -> str:
        return data.decode()


CONFIG: dict[str, object] = {"default.key.serde": Shout(), "default.value.serde": Shout()}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = serdes.string()
    both = Materialized[str, str]("both", key=Shout(), value=Shout())
    builder.table("one", Consumed(key=text, value=text), Materialized("one")).to_stream().to(
        "one-out"
    )
    builder.table("two", Consumed(key=text, value=text), both).to_stream().to("two-out")
    builder.table("three", Consumed(), Materialized("three", key=text, value=text)).to_stream().to(
        "three-out"
    )
    builder.table("four", materialized=Materialized("four", key=text, value=text)).to_stream().to(
        "four-out"
    )
    stream = builder.stream("in", Consumed(key=text, value=text))
    stream.to_table(Materialized("five")).to_stream().to("five-out")
    stream.to_table(Materialized("six", key=text)).to_stream().to("six-out")
    stream.to_table().to_stream().to("seven-out")
    table = builder.table("eight", Consumed(key=text, value=text))
    table.filter(lambda key, value: True, Materialized("eight")).to_stream().to("eight-out")
    table.filter(lambda key, value: True).to_stream().to("nine-out")
    table.map_values(lambda value: value, Materialized("ten")).to_stream().to("ten-out")
    table.map_values(lambda value: value, Materialized("eleven", value=text)).to_stream().to(
        "eleven-out"
    )
    table.map_values(lambda value: value).to_stream().to("twelve-out")
    return builder.build()

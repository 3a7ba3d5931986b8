"""A grouping without options has the stream's serdes; one with options forgets those it does
not name.
"""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, Topology, serdes
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
    stream = builder.stream("in", Consumed(key=text, value=text))
    rekeyed = stream.select_key(lambda key, value: value)
    stream.group_by_key().reduce(lambda a, v: a + v, Materialized("plain")).to_stream().to("plain")
    stream.group_by_key(Grouped(name="named")).reduce(
        lambda a, v: a + v, Materialized("named")
    ).to_stream().to("named")
    stream.group_by_key(Grouped(key=text)).reduce(
        lambda a, v: a + v, Materialized("key")
    ).to_stream().to("key")
    stream.group_by_key(Grouped(value=text)).reduce(
        lambda a, v: a + v, Materialized("value")
    ).to_stream().to("value")
    stream.group_by(lambda key, value: value).reduce(
        lambda a, v: a + v, Materialized("by")
    ).to_stream().to("by")
    rekeyed.group_by_key().reduce(lambda a, v: a + v, Materialized("rekeyed")).to_stream().to(
        "rekeyed"
    )
    stream.group_by_key().reduce(
        lambda a, v: a + v, Materialized("own", key=Shout(), value=Shout())
    ).to_stream().to("own")
    stream.group_by_key().aggregate(
        lambda: "s", lambda k, v, a: a + v, Materialized("agg")
    ).to_stream().to("agg")
    stream.group_by_key().aggregate(lambda: "s", lambda k, v, a: a + v).to_stream().to("agg2")
    stream.group_by_key(Grouped(name="counted")).count(Materialized("count")).to_stream().to(
        "count"
    )
    return builder.build()

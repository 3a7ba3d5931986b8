"""A cogroup of one stream."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    one.cogroup(lambda key, value, total: f"{total}+{value}").aggregate(lambda: "0").to_stream().to(
        "out"
    )
    two.count().to_stream().to("counts")
    return builder.build()

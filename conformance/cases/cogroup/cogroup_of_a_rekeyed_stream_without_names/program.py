"""The topic of a store without a name."""

from collections.abc import Callable

from penstock import Consumed, Grouped, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by(
        lambda key, value: value, Grouped(key=serdes.string(), value=serdes.string())
    )
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    cogrouped.aggregate(lambda: "0").to_stream().to("out")
    return builder.build()

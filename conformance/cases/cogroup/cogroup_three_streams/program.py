"""Three streams."""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    three = builder.stream("three", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    cogrouped.cogroup(three, lambda key, value, total: value)
    cogrouped.aggregate(lambda: "0").to_stream().to("out")
    return builder.build()

"""A grouping and its cogroup would both make the topic."""

from collections.abc import Callable

from penstock import Consumed, Grouped, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by(
        lambda key, value: value, Grouped("mine", key=serdes.string(), value=serdes.string())
    )
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    one.count().to_stream().to("counts")
    cogrouped.aggregate(lambda: "0").to_stream().to("out")
    return builder.build()

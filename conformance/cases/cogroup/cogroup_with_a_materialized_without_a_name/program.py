"""A Materialized without a name burns no number."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    option = Materialized(key=serdes.string(), value=serdes.string())
    cogrouped.aggregate(lambda: "0", option).to_stream().to("out")
    return builder.build()

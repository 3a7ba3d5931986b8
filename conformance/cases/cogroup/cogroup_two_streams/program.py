"""Two streams are folded into one table, each in its own way."""

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
    cogrouped.aggregate(lambda: "0", Materialized("sums")).to_stream().to("out")
    return builder.build()

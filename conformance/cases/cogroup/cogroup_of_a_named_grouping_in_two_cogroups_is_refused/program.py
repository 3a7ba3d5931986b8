"""Two cogroups would both make the topic of a named grouping."""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by(
        lambda key, value: value, Grouped("mine", key=serdes.string(), value=serdes.string())
    )
    two = builder.stream("two", text).group_by_key()
    first = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    second = one.cogroup(lambda key, value, total: f"{total}*{value}")
    first.aggregate(lambda: "0", Materialized("first")).to_stream().to("out")
    second.aggregate(lambda: "0", Materialized("second")).to_stream().to("out")
    return builder.build()

"""The table of a cogroup is grouped again: old values of all streams are taken away."""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    sums = cogrouped.aggregate(lambda: "0", Materialized("sums"))
    option = Grouped("lengths", key=serdes.string(), value=serdes.string())
    lengths = sums.group_by(lambda key, total: (str(len(total)), key), option)
    lengths.count(Materialized("counts")).to_stream().to("out")
    return builder.build()

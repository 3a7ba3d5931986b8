"""Which numbers stores and nodes get; unlike other windows, count burns none."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SlidingWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    windowed = grouped.windowed_by(SlidingWindows.of_time_difference(10))
    windowed.count().to_stream().to("one")
    windowed.count(Materialized(value=serdes.long())).to_stream().to("two")
    windowed.reduce(lambda one, other: other).to_stream().to("three")
    windowed.aggregate(lambda: "", lambda key, value, total: value).to_stream().to("four")
    windowed.count(Materialized("counts"), named="counting").to_stream().to("five")
    windowed.reduce(lambda one, other: other, named="reducing").to_stream().to("six")
    return builder.build()

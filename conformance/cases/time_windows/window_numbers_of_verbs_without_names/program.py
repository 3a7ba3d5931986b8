"""Which numbers stores and nodes get; count burns one if it has a Materialized without a name."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    windowed = grouped.windowed_by(TimeWindows.of_size(10))
    windowed.count().to_stream().to("one")
    windowed.count(Materialized(value=serdes.long())).to_stream().to("two")
    windowed.reduce(lambda one, other: other).to_stream().to("three")
    windowed.aggregate(lambda: "", lambda key, value, total: value).to_stream().to("four")
    windowed.reduce(lambda one, other: other, Materialized(value=serdes.string())).to_stream().to(
        "five"
    )
    return builder.build()

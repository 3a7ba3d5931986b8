"""A Materialized's serdes write the store, its changelog and the topic below."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    option = Materialized("counts", key=serdes.string(), value=serdes.integer())
    counts = grouped.windowed_by(TimeWindows.of_size(10)).aggregate(
        lambda: 0, lambda key, value, total: total + len(value), option
    )
    counts.to_stream().to("out")
    return builder.build()

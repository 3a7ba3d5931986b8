"""Keys may be numbers, also negative ones."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    number = serdes.long()
    stream = builder.stream("in", Consumed(key=number, value=serdes.string()))
    counts = (
        stream.group_by_key().windowed_by(TimeWindows.of_size(10)).count(Materialized("counts"))
    )
    counts.to_stream().to("out")
    return builder.build()

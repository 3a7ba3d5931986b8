"""Grace is not negative."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = grouped.windowed_by(TimeWindows.of_size(10, grace=-1)).count(Materialized("counts"))
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()

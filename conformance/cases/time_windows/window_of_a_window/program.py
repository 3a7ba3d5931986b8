"""Results of windows, with the time of their latest record, can be windowed again."""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = grouped.windowed_by(TimeWindows.of_size(10)).count(Materialized("counts"))
    again = counts.to_stream().group_by(
        lambda key, count: str(count), Grouped("again", key=serdes.string(), value=serdes.long())
    )
    totals = again.windowed_by(TimeWindows.of_size(100)).count(Materialized("totals"))
    totals.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()

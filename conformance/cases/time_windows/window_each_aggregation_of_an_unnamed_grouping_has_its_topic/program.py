"""Without a name each windowed aggregation has its own topic, called like its store."""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    stream = builder.stream("in", text)
    grouped = stream.group_by(
        lambda key, value: value, Grouped(key=serdes.string(), value=serdes.string())
    )
    tumbling = grouped.windowed_by(TimeWindows.of_size(10))
    tumbling.count(Materialized("counts")).to_stream(lambda key, count: str(key)).to("counts")
    tumbling.reduce(lambda one, other: other).to_stream(lambda key, count: str(key)).to("last")
    return builder.build()

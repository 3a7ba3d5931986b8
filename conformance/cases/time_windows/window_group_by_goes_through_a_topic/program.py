"""A stream with new keys goes through a topic before it is aggregated in windows."""

from collections.abc import Callable

from penstock import Consumed, Grouped, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    stream = builder.stream("in", text)
    grouped = stream.group_by(
        lambda key, value: value, Grouped(key=serdes.string(), value=serdes.string())
    )
    counts = grouped.windowed_by(TimeWindows.of_size(10)).count()
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()

"""A reduction in a window begins with its first value."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    joined = grouped.windowed_by(TimeWindows.of_size(10, grace=20, advance=5)).reduce(
        lambda total, value: f"{total}+{value}", Materialized("joined")
    )
    joined.to_stream(lambda key, value: str(key)).to("out")
    return builder.build()

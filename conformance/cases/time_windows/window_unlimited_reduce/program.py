"""A reduction without an end."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology, UnlimitedWindows, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    joined = grouped.windowed_by(UnlimitedWindows.of()).reduce(
        lambda total, value: f"{total}+{value}", Materialized("joined")
    )
    joined.to_stream(lambda key, value: str(key)).to("out")
    return builder.build()

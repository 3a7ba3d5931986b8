"""A key in the unlimited window has its start in its bytes."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology, UnlimitedWindows, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    grouped.windowed_by(UnlimitedWindows.of()).count(Materialized("counts")).to_stream().to("out")
    return builder.build()

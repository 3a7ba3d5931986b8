"""Records are counted in windows that do not overlap; a windowed key is the key and the start."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    grouped.windowed_by(TimeWindows.of_size(10)).count(Materialized("counts")).to_stream().to("out")
    return builder.build()

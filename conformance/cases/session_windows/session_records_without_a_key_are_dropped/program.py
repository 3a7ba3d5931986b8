"""A record without a key is dropped, and does not move stream time."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = grouped.windowed_by(SessionWindows.of_inactivity_gap(5)).count(Materialized("counts"))
    counts.to_stream(lambda key, count: str(key)).to("out")
    return builder.build()

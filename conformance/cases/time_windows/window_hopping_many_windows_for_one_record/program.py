"""A record may be in many windows, visited from the earliest to the latest."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    sums = grouped.windowed_by(TimeWindows.of_size(20, grace=30, advance=3)).aggregate(
        lambda: "0", lambda key, value, total: f"{total}+{value}", Materialized("sums")
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

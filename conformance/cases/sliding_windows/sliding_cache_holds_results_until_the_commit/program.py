"""With a cache the results come out at the commit, in the order of their last writes."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SlidingWindows, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    sums = grouped.windowed_by(SlidingWindows.of_time_difference(10, grace=50)).aggregate(
        lambda: "0", lambda key, value, total: f"{total}+{value}", Materialized("sums")
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

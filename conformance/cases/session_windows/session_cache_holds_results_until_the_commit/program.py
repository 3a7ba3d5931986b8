"""With a cache results come out at the commit, deletions of sessions too."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    sums = grouped.windowed_by(SessionWindows.of_inactivity_gap(5, grace=50)).aggregate(
        lambda: "0",
        lambda key, value, total: f"{total}+{value}",
        lambda key, one, other: f"({one}|{other})",
        Materialized("sums"),
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

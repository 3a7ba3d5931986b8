"""The same with a cache."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    one = builder.stream("one", text).group_by_key()
    two = builder.stream("two", text).group_by_key()
    cogrouped = one.cogroup(lambda key, value, total: f"{total}+{value}").cogroup(
        two, lambda key, value, total: f"{total}-{value}"
    )
    sums = cogrouped.windowed_by(SessionWindows.of_inactivity_gap(5)).aggregate(
        lambda: "0",
        lambda key, one, other: f"({one}|{other})",
        Materialized("sums", key=serdes.string()),
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

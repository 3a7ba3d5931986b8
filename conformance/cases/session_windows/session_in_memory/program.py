"""The same in a store in memory."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    sums = grouped.windowed_by(SessionWindows.of_inactivity_gap(5, grace=10)).aggregate(
        lambda: "0",
        lambda key, value, total: f"{total}+{value}",
        lambda key, one, other: f"({one}|{other})",
        Materialized("sums", store="in_memory"),
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

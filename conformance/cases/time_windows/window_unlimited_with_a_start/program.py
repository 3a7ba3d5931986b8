"""What is before the start is in no window and is not counted as dropped."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, Topology, UnlimitedWindows, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    sums = grouped.windowed_by(UnlimitedWindows.of(start=10)).aggregate(
        lambda: "0", lambda key, value, total: f"{total}+{value}", Materialized("sums")
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

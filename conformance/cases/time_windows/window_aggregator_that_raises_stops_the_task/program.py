"""Without a handler a failing aggregator stops the task."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()

    def add(key: str, value: str, total: str) -> str:
        if value == "bad":
            raise ValueError("this is bad")
        return f"{total}+{value}"

    sums = grouped.windowed_by(TimeWindows.of_size(10, advance=5)).aggregate(
        lambda: "0", add, Materialized("sums")
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

"""An aggregator in windows of time must expect values of None."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()

    def add(key: str, value: str | None, total: str) -> str:
        log(f"{key} {value} {total}")
        return f"{total}+{value}"

    sums = grouped.windowed_by(TimeWindows.of_size(10)).aggregate(
        lambda: "0", add, Materialized("sums")
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

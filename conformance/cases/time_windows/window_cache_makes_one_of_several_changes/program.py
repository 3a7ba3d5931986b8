"""Several changes of a window between two commits are one, with the last value."""

from collections.abc import Callable

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = (
        builder.stream("in", text).flat_map_values(lambda line: line.split("-")).group_by_key()
    )
    sums = grouped.windowed_by(TimeWindows.of_size(10, grace=10, advance=5)).aggregate(
        lambda: "0", lambda key, value, total: f"{total}+{value}", Materialized("sums")
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

"""With a cache the first count of a window replaces nothing."""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, StreamsBuilder, TimeWindows, Topology, serdes

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    counts = grouped.windowed_by(TimeWindows.of_size(10, grace=20)).count(Materialized("counts"))

    def add(key: str, value: object, total: str) -> str:
        log(f"add {key} {value}")
        return f"{total}+{value}"

    def subtract(key: str, value: object, total: str) -> str:
        log(f"subtract {key} {value}")
        return f"{total}-{value}"

    option = Grouped("again", key=serdes.string(), value=serdes.long())
    again = counts.group_by(lambda key, value: (key.key, value), option)
    totals = again.aggregate(
        lambda: "",
        add,
        subtract,
        Materialized("totals", key=serdes.string(), value=serdes.string()),
    )
    totals.to_stream().to("out")
    return builder.build()

"""With a cache the old values of sessions are those of the store."""

from collections.abc import Callable

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    SessionWindows,
    StreamsBuilder,
    Topology,
    serdes,
)

CONFIG: dict[str, object] = {"statestore.cache.max.bytes": 10485760}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()
    sums = grouped.windowed_by(SessionWindows.of_inactivity_gap(5, grace=20)).aggregate(
        lambda: "0",
        lambda key, value, total: f"{total}+{value}",
        lambda key, one, other: f"({one}|{other})",
        Materialized("sums"),
    )

    def add(key: str, value: object, total: str) -> str:
        log(f"add {key} {value}")
        return f"{total}+{value}"

    def subtract(key: str, value: object, total: str) -> str:
        log(f"subtract {key} {value}")
        return f"{total}-{value}"

    option = Grouped("again", key=serdes.string(), value=serdes.string())
    again = sums.group_by(lambda key, value: (key.key, value), option)
    totals = again.aggregate(
        lambda: "",
        add,
        subtract,
        Materialized("totals", key=serdes.string(), value=serdes.string()),
    )
    totals.to_stream().to("out")
    return builder.build()

"""Initializer and merger are called even for a record that turns out to be late."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()

    def start() -> str:
        log("start")
        return "0"

    def add(key: str, value: str, total: str) -> str:
        log(f"add {key} {value} {total}")
        return f"{total}+{value}"

    def merge(key: str, one: str, other: str) -> str:
        log(f"merge {key} {one} {other}")
        return f"({one}|{other})"

    sums = grouped.windowed_by(SessionWindows.of_inactivity_gap(5)).aggregate(
        start, add, merge, Materialized("sums")
    )
    sums.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

"""Each new key begins with what the initializer gives."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def start() -> str:
        log("start")
        return "0"

    def add(key: str, value: str, total: str) -> str:
        log(f"{key} {value} {total}")
        return str(int(total) + int(value))

    builder.stream("in").group_by_key().aggregate(start, add, Materialized("sums")).to_stream().to(
        "out"
    )
    return builder.build()

"""A first value of None leaves no row, a reducer may be given None."""

from collections.abc import Callable
from typing import Any

from penstock import Consumed, Materialized, StreamsBuilder, TimeWindows, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()

    def first_or_both(one: str, other: str) -> Any:
        return None if other is None else f"{one}+{other}"

    joined = grouped.windowed_by(TimeWindows.of_size(10)).reduce(
        first_or_both, Materialized("joined")
    )
    joined.to_stream(lambda key, total: str(key)).to("out")
    return builder.build()

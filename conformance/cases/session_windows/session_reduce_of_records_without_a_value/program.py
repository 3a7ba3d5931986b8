"""A first value of None leaves no session, a reducer may be given None."""

from collections.abc import Callable
from typing import Any

from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text = Consumed(key=serdes.string(), value=serdes.string())
    grouped = builder.stream("in", text).group_by_key()

    def reduce(one: str, other: str) -> Any:
        return None if other is None else f"{one}+{other}"

    joined = grouped.windowed_by(SessionWindows.of_inactivity_gap(5)).reduce(
        reduce, Materialized("joined")
    )
    joined.to_stream(lambda key, value: str(key)).to("out")
    return builder.build()

"""A stream and a table cannot read the same topic."""

from collections.abc import Callable

from penstock import KStream, KTable, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("in")
    right: KTable[str, str] = builder.table("in")
    left.join(right, pair).to("out")
    return builder.build()

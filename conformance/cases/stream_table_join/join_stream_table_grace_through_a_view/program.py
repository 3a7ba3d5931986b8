"""A filtered view of a versioned table is versioned too: grace and time are those of its rows."""

from collections.abc import Callable

from penstock import Joined, KStream, KTable, Materialized, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left: KStream[str, str] = builder.stream("left")
    right: KTable[str, str] = builder.table(
        "right", materialized=Materialized("rows", history_retention=600_000)
    )
    view = right.filter(lambda key, value: value != "hidden").map_values(lambda value: value + "!")
    left.left_join(view, pair, Joined(grace=3)).to("out")
    left.left_join(view, pair).to("now")
    return builder.build()

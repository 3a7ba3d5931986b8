"""The inner join of versioned tables, its results kept in a store that is not versioned."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = (
        builder.table(
            "left", materialized=Materialized[str, str]("lefts", history_retention=60_000)
        ),
        builder.table(
            "right", materialized=Materialized[str, str]("rights", history_retention=60_000)
        ),
    )
    left.join(right, joined, Materialized("joined")).to_stream().to("out")
    return builder.build()

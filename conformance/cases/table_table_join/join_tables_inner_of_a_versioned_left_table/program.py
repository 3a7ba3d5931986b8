"""The inner join of a versioned table with one that is not."""

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
        builder.table("right"),
    )
    left.join(right, joined).to_stream().to("out")
    return builder.build()

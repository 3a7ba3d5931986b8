"""The outer join of a table with a versioned one."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = (
        builder.table("left"),
        builder.table(
            "right", materialized=Materialized[str, str]("rights", history_retention=60_000)
        ),
    )
    left.outer_join(right, joined).to_stream().to("out")
    return builder.build()

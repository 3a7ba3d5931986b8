"""Where the rows live makes no difference to a join."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left", materialized=Materialized[str, str]("lefts", store="in_memory"))
    right = builder.table("right", materialized=Materialized[str, str]("rights", logging=False))
    left.outer_join(
        right, joined, Materialized("joined", store="in_memory", logging=False)
    ).to_stream().to("out")
    return builder.build()

"""The inner join of two tables with caches: what is forwarded is what is left at the flush."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
}


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.join(right, joined, Materialized("joined")).to_stream().to("out")
    return builder.build()

"""The inner join of two cached tables: their changes come at the flush."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology

CONFIG: dict[str, object] = {
    "statestore.cache.max.bytes": 10485760,
}


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.join(right, joined).to_stream().to("out")
    return builder.build()

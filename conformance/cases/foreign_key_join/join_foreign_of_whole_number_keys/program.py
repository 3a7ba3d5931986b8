"""Keys may be of any type; the order of answers is that of the keys' bytes, so negative ones
come last.
"""

from collections.abc import Callable

from penstock import Consumed, StreamsBuilder, Topology, serdes


def foreign_key(value: str) -> str | None:
    return value.partition("|")[2] or None


def joined(left: str | None, right: str | None) -> str:
    return f"({left},{'null' if right is None else right})"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    whole = Consumed(key=serdes.integer(), value=serdes.string())
    left = builder.table("left", whole)
    right = builder.table("right", whole)
    left.join(right, lambda value: int(value.partition("|")[2]), joined).to_stream().to("out")
    return builder.build()

"""Below the outer join a filter has the old values, whatever the tables above have."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    both = left.outer_join(right, joined)
    both.filter(lambda key, value: "x" not in value).to_stream().to("out")
    return builder.build()

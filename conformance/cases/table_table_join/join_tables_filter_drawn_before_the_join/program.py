"""A filter is asked for old values when it is drawn: one drawn before the table has a store deletes
what was never there.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left, right = builder.table("left"), builder.table("right")
    left.filter(lambda key, value: value != "x").to_stream().to("before")
    left.join(right, joined).to_stream().to("out")
    left.filter(lambda key, value: value != "x").to_stream().to("after")
    return builder.build()

"""A join looks up what was let out of the buffer last, as long as a row is held back."""

from collections.abc import Callable

from penstock import StreamsBuilder, Suppressed, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    held = builder.table("in").suppress(Suppressed.until_time_limit(3))
    right = builder.table("right")
    held.outer_join(right, joined).to_stream().to("out")
    return builder.build()

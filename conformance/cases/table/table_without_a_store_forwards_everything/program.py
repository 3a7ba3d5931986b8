"""A table that nobody looks into has no store: it forwards what comes, deletions of rows it
never had included.
"""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").to_stream().to("out")
    return builder.build()

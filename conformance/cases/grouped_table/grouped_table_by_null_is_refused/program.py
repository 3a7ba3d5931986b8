"""Grouping needs a function."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").group_by(None)  # type: ignore[arg-type]
    return builder.build()

"""A transformer is needed."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in").transform_values(None)  # type: ignore[arg-type]
    return builder.build()

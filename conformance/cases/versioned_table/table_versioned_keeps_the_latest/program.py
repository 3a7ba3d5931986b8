"""A versioned table forwards each record, out of order or not; what is too old for its history is
dropped.
"""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    ).to_stream().to("out")
    return builder.build()

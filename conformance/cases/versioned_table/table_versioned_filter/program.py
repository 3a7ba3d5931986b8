"""A filter of a versioned table forwards each change, whatever was and is kept."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    )
    table.filter(lambda key, value: value in "ace").to_stream().to("out")
    table.filter_not(lambda key, value: value in "ace").filter(
        lambda key, value: value != "b"
    ).to_stream().to("twice")
    return builder.build()

"""A filter of a versioned table with a store of its own, versioned or not."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table(
        "in", materialized=Materialized[str, str]("rows", history_retention=60_000)
    )
    plain = table.filter(lambda key, value: value in "ace", Materialized("plain"))
    plain.to_stream().to("out")
    plain.filter(lambda key, value: value != "e").to_stream().to("below")
    versioned = table.filter(
        lambda key, value: value in "ace", Materialized("kept", history_retention=30_000)
    )
    versioned.to_stream().to("versions")
    versioned.filter(lambda key, value: value != "e").to_stream().to("below-versions")
    return builder.build()

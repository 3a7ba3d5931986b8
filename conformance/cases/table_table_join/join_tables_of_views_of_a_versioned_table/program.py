"""A view of a versioned table is versioned, one with a store of its own is not."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows = builder.table(
        "left", materialized=Materialized[str, str]("lefts", history_retention=60_000)
    )
    right = builder.table("right")
    view = rows.map_values(lambda value: value + "!").filter(lambda key, value: value != "skip!")
    kept = rows.map_values(lambda value: value + "?", Materialized("kept"))
    view.outer_join(right, joined).to_stream().to("view")
    kept.outer_join(right, joined).to_stream().to("kept")
    return builder.build()

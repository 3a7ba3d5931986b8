"""Views with stores are looked up in them; one without a name has none."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left").filter(lambda key, value: value != "skip", Materialized("kept"))
    right = builder.table("right").map_values(str.upper, Materialized())
    left.outer_join(right, joined).to_stream().to("out")
    return builder.build()

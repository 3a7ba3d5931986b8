"""An aggregate may be grouped and aggregated again, behind a topic of its own."""

from collections.abc import Callable

from penstock import Grouped, Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    counts = (
        builder.stream("in")
        .group_by(lambda key, value: value, Grouped(name="words"))
        .count(Materialized("counts"))
    )
    sizes = (
        counts.to_stream()
        .map_values(str)
        .group_by(lambda word, count: count, Grouped(name="sizes"))
    )
    sizes.count(Materialized("how-many")).to_stream().to("out")
    return builder.build()

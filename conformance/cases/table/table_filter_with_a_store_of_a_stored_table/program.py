"""With stores above and of its own, a filter keeps and deletes what changes."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", materialized=Materialized[str, str]("rows"))
    table.filter(lambda key, value: int(value) % 2 == 0, Materialized("even")).to_stream().to("out")
    table.filter_not(lambda key, value: int(value) % 2 == 0, Materialized("odd")).to_stream().to(
        "odd"
    )
    return builder.build()

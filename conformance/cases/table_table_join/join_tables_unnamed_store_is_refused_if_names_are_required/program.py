"""With required names, a join's store needs one."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows = builder.table("in", materialized=Materialized[str, str]("rows"))
    rows.join(rows, lambda one, other: one, Materialized())
    return builder.build({"ensure.explicit.internal.resource.naming": True})

"""With required names, the store of a grouped table needs one, though its topic has a name."""

from collections.abc import Callable

from penstock import Grouped, Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    builder.table("in", materialized=Materialized[str, str]("rows")).group_by(
        lambda key, value: (value, key), Grouped("groups")
    ).count()
    return builder.build({"ensure.explicit.internal.resource.naming": True})

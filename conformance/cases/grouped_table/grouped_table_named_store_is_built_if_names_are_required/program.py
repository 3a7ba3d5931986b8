"""With required names, a grouped table needs only a named store: it names the topic too."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    groups = builder.table("in", materialized=Materialized[str, str]("rows")).group_by(
        lambda key, value: (value, key)
    )
    groups.count(Materialized("counts")).to_stream().to("out")
    return builder.build({"ensure.explicit.internal.resource.naming": True})

"""With required names, a buffer without a changelog needs none."""

from collections.abc import Callable

from penstock import BufferConfig, Materialized, StreamsBuilder, Suppressed, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rows = builder.table("in", materialized=Materialized[str, str]("rows"))
    rows.suppress(Suppressed.until_time_limit(5, BufferConfig(logging=False))).to_stream().to("out")
    rows.suppress(Suppressed.until_time_limit(5, name="held")).to_stream().to("named")
    return builder.build({"ensure.explicit.internal.resource.naming": True})

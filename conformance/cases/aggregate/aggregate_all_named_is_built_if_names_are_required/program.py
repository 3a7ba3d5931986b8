"""With ensure.explicit.internal.resource.naming a program whose stores and topics have names
is built.
"""

from collections.abc import Callable

from penstock import Consumed, Grouped, Materialized, Repartitioned, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.group_by(lambda key, value: value).count(Materialized("counts")).to_stream().to("out")
    stream.group_by(lambda key, value: value, Grouped(name="words")).count(
        Materialized("more")
    ).to_stream().to("out")
    stream.repartition(Repartitioned(name="again")).to_table(Materialized("table"))
    builder.table("t", Consumed(name="mine"), Materialized("t-store")).filter(
        lambda key, value: True
    )
    return builder.build({"ensure.explicit.internal.resource.naming": "true"})

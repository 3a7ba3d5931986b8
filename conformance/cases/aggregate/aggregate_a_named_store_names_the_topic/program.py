"""Without a Grouped name the topic is called after the store, if that has a name."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    rekeyed = builder.stream("in").select_key(lambda key, value: value)
    rekeyed.group_by_key().count(Materialized("counts")).to_stream().to("out")
    rekeyed.group_by_key().reduce(
        lambda aggregate, value: value, Materialized("latest")
    ).to_stream().to("out2")
    return builder.build()

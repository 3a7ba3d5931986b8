"""A merged stream is repartitioned if one of its parts must be."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    one = builder.stream("one")
    two = builder.stream("two").select_key(lambda key, value: value)
    one.merge(two).group_by_key().count(Materialized("counts")).to_stream().to("out")
    return builder.build()

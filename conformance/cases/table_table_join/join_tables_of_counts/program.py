"""Aggregates are joined as tables; their first old value is the initializer's."""

from collections.abc import Callable

from penstock import Materialized, StreamsBuilder, Topology


def joined(left: object, right: object) -> str:
    return f"{left}-{right}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    lefts = builder.stream("left").group_by_key().count()
    rights = builder.stream("right").group_by_key().count(Materialized("rights"))
    lefts.left_join(rights, joined).filter(lambda key, value: value != "2-1").to_stream().to("out")
    return builder.build()

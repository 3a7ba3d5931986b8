"""A join between filters, aggregates and another join, cached and not: the whole program,
record by record.
"""

from collections.abc import Callable

from penstock import JoinWindows, KStream, Materialized, StreamJoined, StreamsBuilder, Topology


def pair(left: str | None, right: str | None) -> str:
    return f"{left or 'null'}-{right or 'null'}"


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    orders: KStream[str, str] = builder.stream("left")
    payments: KStream[str, str] = builder.stream("right")
    paid = orders.filter(lambda key, value: value != "skip").join(
        payments.map_values(str.lower),
        pair,
        JoinWindows.of_time_difference(10, grace=2),
        StreamJoined(name="paid"),
    )
    paid.group_by_key().reduce(
        lambda total, value: f"{total};{value}", Materialized("all")
    ).to_stream().to("out")
    paid.left_join(orders, pair, JoinWindows.of_time_difference(5)).to("again")
    return builder.build()

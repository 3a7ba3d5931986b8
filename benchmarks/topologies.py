"""The workloads as a user of Penstock writes them: public names, default stores, no loop by hand.

`java/Topologies.java` has the twins, verb for verb.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TypeAlias

from benchmarks.records import (
    Alert,
    Card,
    Enriched,
    Line,
    Order,
    Payment,
    Profile,
    Settled,
    Visit,
)
from penstock import (
    Consumed,
    Grouped,
    Joined,
    JoinWindows,
    KGroupedStream,
    KStream,
    Materialized,
    Produced,
    SessionWindows,
    StreamJoined,
    StreamsBuilder,
    TimeWindows,
    serdes,
)

Draw: TypeAlias = Callable[[StreamsBuilder, Sequence[str], str], None]

TEXT, LONG, ORDERS = serdes.string(), serdes.long(), serdes.json(Order)
MINUTE, GRACE = timedelta(minutes=1), timedelta(seconds=10)


def orders(builder: StreamsBuilder, source: str) -> KStream[str, Order]:
    """Read the orders."""
    return builder.stream(source, Consumed(key=TEXT, value=ORDERS))


def by_user(builder: StreamsBuilder, source: str) -> KGroupedStream[str, Order]:
    """Read the orders, grouped as they are keyed."""
    return orders(builder, source).group_by_key(Grouped(key=TEXT, value=ORDERS))


def filter_map(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Decode, filter, map, encode."""
    (
        orders(builder, sources[0])
        .filter(lambda user, order: order.quantity > 1)
        .map_values(lambda order: Line(order.id, order.user, order.cents * order.quantity))
        .to(target, Produced(key=TEXT, value=serdes.json(Line)))
    )


def count(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Count by key."""
    (
        by_user(builder, sources[0])
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(target, Produced(key=TEXT, value=LONG))
    )


def tumbling(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Count by key and minute."""
    (
        by_user(builder, sources[0])
        .windowed_by(TimeWindows.of_size(MINUTE, grace=GRACE))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(target, Produced(key=serdes.time_windowed(TEXT, MINUTE), value=LONG))
    )


def hopping(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Sum by key in minutes that begin every ten seconds."""
    (
        by_user(builder, sources[0])
        .windowed_by(TimeWindows.of_size(MINUTE, grace=GRACE, advance=timedelta(seconds=10)))
        .aggregate(
            lambda: 0,
            lambda user, order, total: total + order.cents,
            Materialized("sums", key=TEXT, value=LONG),
        )
        .to_stream()
        .to(target, Produced(key=serdes.time_windowed(TEXT, MINUTE), value=LONG))
    )


def session(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Fold the orders of a user's session."""
    visits = serdes.json(Visit)
    (
        by_user(builder, sources[0])
        .windowed_by(SessionWindows.of_inactivity_gap(timedelta(seconds=5), grace=GRACE))
        .aggregate(
            Visit,
            lambda user, order, visit: visit.plus(order),
            lambda user, one, other: one.and_(other),
            Materialized("visits", key=TEXT, value=visits),
        )
        .to_stream()
        .to(target, Produced(key=serdes.session_windowed(TEXT), value=visits))
    )


def table_join(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Enrich orders by a table of profiles."""
    profiles = serdes.json(Profile)
    table = builder.table(
        sources[1],
        Consumed(key=TEXT, value=profiles),
        Materialized("profiles", key=TEXT, value=profiles),
    )
    (
        orders(builder, sources[0])
        .join(
            table,
            lambda order, profile: Enriched(
                order.id, profile.name, profile.tier, order.cents * order.quantity
            ),
            Joined(key=TEXT, value=ORDERS, other_value=profiles),
        )
        .to(target, Produced(key=TEXT, value=serdes.json(Enriched)))
    )


def stream_join(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Match orders and payments that are at most 30 seconds apart."""
    payments = serdes.json(Payment)
    (
        orders(builder, sources[0])
        .join(
            builder.stream(sources[1], Consumed(key=TEXT, value=payments)),
            lambda order, payment: Settled(order.id, payment.method, order.cents - payment.cents),
            JoinWindows.of_time_difference(timedelta(seconds=30), grace=GRACE),
            StreamJoined(key=TEXT, value=ORDERS, other_value=payments, store_name="waiting"),
        )
        .to(target, Produced(key=TEXT, value=serdes.json(Settled)))
    )


def rekey(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Sum by another key: the records go through a repartition topic."""
    (
        orders(builder, sources[0])
        .group_by(
            lambda user, order: order.product, Grouped(name="by-product", key=TEXT, value=ORDERS)
        )
        .aggregate(
            lambda: 0,
            lambda product, order, total: total + order.cents,
            Materialized("sales", key=TEXT, value=LONG),
        )
        .to_stream()
        .to(target, Produced(key=TEXT, value=LONG))
    )


def fraud(builder: StreamsBuilder, sources: Sequence[str], target: str) -> None:
    """Watch cards in windows of five minutes: amount, count, velocity; alert."""
    (
        orders(builder, sources[0])
        .filter(lambda card, order: order.cents > 0)
        .group_by_key(Grouped(key=TEXT, value=ORDERS))
        .windowed_by(TimeWindows.of_size(timedelta(minutes=5), grace=timedelta(seconds=30)))
        .aggregate(
            Card,
            lambda card, order, state: state.plus(order),
            Materialized("cards", key=TEXT, value=serdes.json(Card)),
        )
        .to_stream()
        .filter(lambda window, state: state.suspicious)
        .map(
            lambda window, state: (
                f"{window.key}@{window.start}",
                Alert(window.key, window.start, state.count, state.cents, state.fast),
            )
        )
        .to(target, Produced(key=TEXT, value=serdes.json(Alert)))
    )


ALL: Mapping[str, Draw] = {
    "filter-map": filter_map,
    "count": count,
    "tumbling": tumbling,
    "hopping": hopping,
    "session": session,
    "table-join": table_join,
    "stream-join": stream_join,
    "rekey": rekey,
    "fraud": fraud,
}

"""Payment matching: orders and payments in; out come paid orders, unpaid ones, and payments that
nobody has an order for.

    python -m examples payment_matching          live, with customers who pay late, or not at all
    penstock run examples/payment_matching.py    the program alone

It shows the outer join of two streams in a window: a match comes out at once; what has found no
partner when the window is over comes out alone. Each result goes to the topic of its kind.
"""

from dataclasses import dataclass
from datetime import timedelta

from penstock import (
    Branched,
    Consumed,
    JoinWindows,
    KafkaStreams,
    Produced,
    StreamJoined,
    StreamsBuilder,
    Topology,
    serdes,
)


@dataclass
class Order:
    customer: str
    cents: int


@dataclass
class Payment:
    method: str
    cents: int


@dataclass
class Settlement:
    """What is known of an order number when its time is over."""

    customer: str | None
    method: str | None
    ordered_cents: int
    paid_cents: int

    @property
    def is_paid(self) -> bool:
        return self.method is not None and self.paid_cents == self.ordered_cents


def settle(order: Order | None, payment: Payment | None) -> Settlement:
    return Settlement(
        order.customer if order else None,
        payment.method if payment else None,
        order.cents if order else 0,
        payment.cents if payment else 0,
    )


text = serdes.string()
order, payment, settlement = serdes.json(Order), serdes.json(Payment), serdes.json(Settlement)

# An order and its payment are at most ten minutes apart, and come at most one minute late.
windows = JoinWindows.of_time_difference(timedelta(minutes=10), grace=timedelta(minutes=1))

settings = {"application.id": "payment-matching", "processing.guarantee": "exactly_once_v2"}


def topology() -> Topology:
    builder = StreamsBuilder()
    orders = builder.stream("orders", Consumed(key=text, value=order))
    payments = builder.stream("payments", Consumed(key=text, value=payment))
    settled = orders.outer_join(
        payments,
        settle,
        windows,
        StreamJoined("settle", text, order, payment, store_name="waiting"),
    )
    out = Produced(key=text, value=settlement)
    (
        settled.split()
        .branch(lambda number, found: found.customer is None, to("orphan-payments", out))
        .branch(lambda number, found: found.method is None, to("unpaid-orders", out))
        .branch(lambda number, found: not found.is_paid, to("wrong-amounts", out))
        .default_branch(to("paid-orders", out))
    )
    return builder.build()


def to(topic: str, produced: Produced[str, Settlement]) -> Branched[str, Settlement]:
    return Branched(consumer=lambda stream: stream.to(topic, produced))


if __name__ == "__main__":
    KafkaStreams(topology(), settings).run()

"""Order enrichment: each order gets the profile of its customer, as it was when the order was made.

    python -m examples order_enrichment          live, with customers who move up, and who leave
    penstock run examples/order_enrichment.py    the program alone

It shows the join of a stream with a table of another key (orders are keyed by number, profiles by
customer), a left join with a fallback for customers nobody knows, and a versioned table: an order
that comes late still gets the profile of its own time.
"""

from dataclasses import dataclass
from datetime import timedelta

from penstock import (
    Consumed,
    Joined,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    Topology,
    serdes,
)


@dataclass
class Order:
    number: str
    customer: str
    cents: int


@dataclass
class Profile:
    name: str
    tier: str
    credit_limit_cents: int


@dataclass
class EnrichedOrder:
    number: str
    cents: int
    customer_name: str
    tier: str
    within_credit_limit: bool


UNKNOWN = Profile("UNKNOWN", "unknown", 0)


def enrich(order: Order, profile: Profile | None) -> EnrichedOrder:
    known = profile or UNKNOWN
    return EnrichedOrder(
        order.number, order.cents, known.name, known.tier, order.cents <= known.credit_limit_cents
    )


text = serdes.string()
order, profile, enriched = serdes.json(Order), serdes.json(Profile), serdes.json(EnrichedOrder)

settings = {"application.id": "order-enrichment", "processing.guarantee": "exactly_once_v2"}


def topology() -> Topology:
    builder = StreamsBuilder()
    profiles = builder.table(
        "customer-profiles",
        Consumed(key=text, value=profile),
        Materialized("profiles", text, profile, history_retention=timedelta(hours=6)),
    )
    (
        builder.stream("customer-orders", Consumed(key=text, value=order))
        .select_key(lambda number, order: order.customer)
        .left_join(profiles, enrich, Joined("orders-by-customer", text, order, profile))
        .to("enriched-orders", Produced(key=text, value=enriched))
    )
    return builder.build()


if __name__ == "__main__":
    KafkaStreams(topology(), settings).run()

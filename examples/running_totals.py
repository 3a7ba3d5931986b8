"""Running totals: payments in, out comes a table of what each account has spent; and big spenders.

    penstock run examples/running_totals.py      (or: python examples/running_totals.py)

In another terminal, pay something and see what comes out:

    echo 'ada={"shop": "bakery", "cents": 420}' | penstock produce payments --separator =
    penstock consume totals
"""

from dataclasses import dataclass

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    serdes,
)


@dataclass
class Payment:
    shop: str
    cents: int


@dataclass
class Total:
    payments: int = 0
    cents: int = 0

    def plus(self, payment: Payment) -> "Total":
        return Total(self.payments + 1, self.cents + payment.cents)


text, payment, total = serdes.string(), serdes.json(Payment), serdes.json(Total)

builder = StreamsBuilder()
totals = (
    builder.stream("payments", Consumed(key=text, value=payment))
    .group_by_key(Grouped(key=text, value=payment))
    .aggregate(
        Total,
        lambda account, payment, total: total.plus(payment),
        Materialized("totals", key=text, value=total),
    )
)
totals.to_stream().to("totals", Produced(key=text, value=total))
big = totals.filter(lambda account, total: total.cents >= 100_000)
big.to_stream().to("big-spenders", Produced(key=text, value=total))
topology = builder.build()

if __name__ == "__main__":
    settings = {"application.id": "running-totals", "processing.guarantee": "exactly_once_v2"}
    KafkaStreams(topology, settings).run()

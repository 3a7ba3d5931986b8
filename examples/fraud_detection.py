"""Fraud detection: card transactions in, alerts out, by what a card did in five minutes.

    python -m examples fraud_detection          live, with cards of which some are stolen
    penstock run examples/fraud_detection.py    the program alone

It shows windows with a grace for transactions that come late, an aggregate of one's own, event time
taken from a field of the value, and unreadable transactions set aside in a dead letter topic.
"""

from dataclasses import dataclass, field
from datetime import timedelta

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    Topology,
    Windowed,
    serdes,
)
from penstock.record import ConsumerRecord

MANY = 10
MUCH_CENTS = 500_000
FAST_COUNT, FAST_MS = 4, 20_000


@dataclass
class Transaction:
    cents: int
    shop: str
    country: str
    at: int
    """When it was made: milliseconds, by the clock of the till."""


@dataclass
class CardActivity:
    """What a card did in one window."""

    count: int = 0
    cents: int = 0
    countries: set[str] = field(default_factory=set)
    times: list[int] = field(default_factory=list)

    def plus(self, transaction: Transaction) -> "CardActivity":
        return CardActivity(
            self.count + 1,
            self.cents + transaction.cents,
            self.countries | {transaction.country},
            sorted([*self.times, transaction.at]),
        )

    @property
    def is_fast(self) -> bool:
        """Whether there are so many transactions in so short a time anywhere in the window."""
        firsts, lasts = self.times, self.times[FAST_COUNT - 1 :]
        return any(last - first <= FAST_MS for first, last in zip(firsts, lasts, strict=False))

    def reasons(self) -> list[str]:
        """Say what is suspicious."""
        found = {
            "amount": self.cents >= MUCH_CENTS,
            "count": self.count >= MANY,
            "velocity": self.is_fast,
            "countries": len(self.countries) > 1,
        }
        return [reason for reason, applies in found.items() if applies]


@dataclass
class Alert:
    window: int
    """When the five minutes began."""
    reasons: list[str]
    count: int
    cents: int


def made_at(record: ConsumerRecord, partition_time: int) -> int:
    """Take the time of the till, not that of the broker."""
    at: int = record.value.at
    return at


def alert(card: Windowed[str], activity: CardActivity) -> tuple[str, Alert]:
    return card.key, Alert(card.start, activity.reasons(), activity.count, activity.cents)


text = serdes.string()
transaction, activity = serdes.json(Transaction), serdes.json(CardActivity)
alerts = serdes.json(Alert)

windows = TimeWindows.of_size(timedelta(minutes=5), grace=timedelta(seconds=30))

settings = {
    "application.id": "fraud-detection",
    "processing.guarantee": "exactly_once_v2",
    "deserialization.exception.handler": "penstock.handlers.LogAndContinueExceptionHandler",
    "errors.dead.letter.queue.topic.name": "unreadable-transactions",
}


def topology() -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("transactions", Consumed(text, transaction, timestamp_extractor=made_at))
        .filter(lambda card, transaction: transaction.cents > 0)
        .group_by_key(Grouped(key=text, value=transaction))
        .windowed_by(windows)
        .aggregate(
            CardActivity,
            lambda card, transaction, activity: activity.plus(transaction),
            Materialized("card-activity", key=text, value=activity),
        )
        .to_stream()
        .filter(lambda card, activity: activity.reasons())
        .map(alert)
        .to("fraud-alerts", Produced(key=text, value=alerts))
    )
    return builder.build()


if __name__ == "__main__":
    KafkaStreams(topology(), settings).run()

"""The application of the demonstration: two programs in one topology."""

from __future__ import annotations

from dataclasses import dataclass

from penstock import (
    Consumed,
    Grouped,
    Materialized,
    Produced,
    StreamsBuilder,
    Topology,
    serdes,
)

LINES, COUNTS = "demo-lines", "demo-word-counts"
PAYMENTS, ACCOUNTS = "demo-payments", "demo-accounts"

SETTINGS = {"application.id": "penstock-demo", "processing.guarantee": "exactly_once_v2"}


@dataclass
class Payment:
    """What a customer paid, and where."""

    shop: str
    cents: int


@dataclass
class Account:
    """All that a customer paid so far."""

    payments: int = 0
    cents: int = 0
    last_shop: str = ""

    def after(self, payment: Payment) -> Account:
        """Return the account with one more payment."""
        return Account(self.payments + 1, self.cents + payment.cents, payment.shop)


TEXT, NUMBER = serdes.string(), serdes.long()
PAYMENT, ACCOUNT = serdes.json(Payment), serdes.json(Account)


def topology() -> Topology:
    """Build both programs."""
    builder = StreamsBuilder()
    (
        builder.stream(LINES, Consumed(key=TEXT, value=TEXT))
        .flat_map_values(lambda line: line.lower().split())
        .filter(lambda _, word: len(word) > 3)
        .group_by(lambda _, word: word, Grouped("by-word", key=TEXT, value=TEXT))
        .count(Materialized("word-counts", key=TEXT, value=NUMBER))
        .to_stream()
        .to(COUNTS, Produced(key=TEXT, value=NUMBER))
    )
    (
        builder.stream(PAYMENTS, Consumed(key=TEXT, value=PAYMENT))
        .group_by_key(Grouped(key=TEXT, value=PAYMENT))
        .aggregate(
            Account,
            lambda name, payment, account: account.after(payment),
            Materialized("accounts", key=TEXT, value=ACCOUNT),
        )
        .to_stream()
        .to(ACCOUNTS, Produced(key=TEXT, value=ACCOUNT))
    )
    return builder.build()

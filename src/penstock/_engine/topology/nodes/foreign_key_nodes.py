"""What the nodes of a foreign-key join do.

```
left table ── Subscribe ──▶ subscriptions (topic) ──▶ KeepSubscriptions ── AnswerSubscription ──┐
    │                                                        │ store                            │
    │                                    right table ── AnswerSubscribers ──────────────────────┤
    │ rows                                                                                      ▼
result ◀─────────────────────────────── ResolveAnswer ◀───────────────────────── answers (topic)
```

The left rows stay where they are: a subscription tells the right table who wants which of its rows.
Whenever a subscription or a right row changes, an answer goes back to the left row. By the hash of
its value the left row knows whether an answer is still to its question. Java:
SubscriptionSendProcessorSupplier and its four companions.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock._engine.topology.nodes.stream_nodes import AnyFunction, AnySerde, Operation
from penstock._engine.topology.nodes.views import View
from penstock.stores import StoreBuilder


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of a table are looked up, and the serde that turns their values into bytes.

    `as_stored` tells that the store keeps the very bytes that the serde writes.
    """

    view: View
    value_serde: AnySerde | None
    as_stored: bool


@dataclass(frozen=True, slots=True)
class Subscribe(Operation):
    """For each change of a left row, take back the subscription to the right row that it no longer
    wants, and subscribe to the one it wants: `extractor(value)`, or `extractor(key, value)` if
    `with_key`.
    """

    extractor: AnyFunction
    with_key: bool
    keeps_left: bool
    latest_only: bool
    topic: str
    """The subscription topic: the topics that serdes are told begin with its name."""
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    foreign_key_serde: AnySerde | None


@dataclass(frozen=True, slots=True)
class KeepSubscriptions(Operation):
    """Keep each subscription, or forget it, and hand it on."""

    store: StoreBuilder
    topic: str
    foreign_key_serde: AnySerde | None

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)


@dataclass(frozen=True, slots=True)
class AnswerSubscription(Operation):
    """Answer a subscription with the right row, or that there is none."""

    right: Reading
    topic: str
    answer_topic: str
    key_serde: AnySerde | None
    decodes_keys: bool
    """Whether the left keys are looked at: by a partitioner, or a serde that wants the topic."""


@dataclass(frozen=True, slots=True)
class AnswerSubscribers(Operation):
    """For each change of a right row, answer all who subscribed to it."""

    store: StoreBuilder
    latest_only: bool
    topic: str
    answer_topic: str
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    foreign_key_serde: AnySerde | None
    decodes_keys: bool

    def own_stores(self) -> tuple[StoreBuilder, ...]:
        return (self.store,)


@dataclass(frozen=True, slots=True)
class ResolveAnswer(Operation):
    """Join the left row with the answer it asked for: `joiner(left, right)`; drop other answers."""

    left: Reading
    joiner: AnyFunction
    keeps_left: bool
    topic: str
    answer_topic: str
    right_value_serde: AnySerde | None

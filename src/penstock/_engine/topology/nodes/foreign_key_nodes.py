"""The operations of a foreign-key join.

```
left table ── Subscribe ──▶ subscriptions (topic) ──▶ KeepSubscriptions ── AnswerSubscription ──┐
    │                                                        │ store                            │
    │                                    right table ── AnswerSubscribers ──────────────────────┤
    │ rows                                                                                      ▼
result ◀─────────────────────────────── ResolveAnswer ◀───────────────────────── answers (topic)
```

The left rows stay in place: a subscription asks the right table for one of its rows. Whenever a
subscription or a right row changes, an answer goes back to the left row. A hash of the left row's
value shows whether an answer is to its current subscription. Java:
SubscriptionSendProcessorSupplier and its four companions.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock._engine.topology.nodes.stream_nodes import AnyFunction, AnySerde, Operation
from penstock._engine.topology.nodes.views import View
from penstock.stores import StoreBuilder


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of a table are looked up, and the serde of their values.

    `as_stored`: the store keeps the very bytes that the serde writes.
    """

    view: View
    value_serde: AnySerde | None
    as_stored: bool


@dataclass(frozen=True, slots=True)
class Subscribe(Operation):
    """For each change of a left row, cancel the subscription to its old right row and subscribe to
    the new one: `extractor(value)`, or `extractor(key, value)` if `with_key`.
    """

    extractor: AnyFunction
    with_key: bool
    keeps_left: bool
    latest_only: bool
    topic: str
    """The subscription topic: the topics that serdes get begin with its name."""
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    foreign_key_serde: AnySerde | None


@dataclass(frozen=True, slots=True)
class KeepSubscriptions(Operation):
    """Store each subscription, or delete it, and forward it."""

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
    """Whether a partitioner, or a serde that depends on the topic, needs the left keys."""


@dataclass(frozen=True, slots=True)
class AnswerSubscribers(Operation):
    """For each change of a right row, answer all its subscriptions."""

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
    """Join the left row with its answer: `joiner(left, right)`; drop outdated answers."""

    left: Reading
    joiner: AnyFunction
    keeps_left: bool
    topic: str
    answer_topic: str
    right_value_serde: AnySerde | None

"""Kafka's offsets as Spark's: the document that a checkpoint holds, and what a batch reads.

A document has the offset of each partition, as that of Spark's own Kafka source does:
`{"orders": {"0": 7, "1": 3}}`. Up to three entries more, under names that no topic can have:

- `(topics)` has the id of each topic. One that was deleted and made anew has another id: its old
  offsets mean nothing there.
- `(began)` says where the batch that ends here began, for the partitions that its start does not
  know: all those of a query's first batch, later new partitions and topics that were made anew.
  Spark keeps the end of a batch alone. A batch that is run again would ask for these offsets anew:
  "latest" would be another one, and the first record may have been deleted meanwhile.
- `(absent)` has the topics that the cluster did not show, and since when: after a day their offsets
  are dropped.

Pure functions: what a batch reads depends on the two documents and on what Kafka still has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from penstock._engine.kafka.client.topic_history import Split
from penstock._engine.planner.tasks import Partition
from penstock.errors import StreamsError

Document: TypeAlias = dict[str, Any]
Offsets: TypeAlias = Mapping[Partition, int]

ABSENT = "(absent)"
BEGAN = "(began)"
TOPICS = "(topics)"

_FORGOTTEN_MS = 24 * 60 * 60 * 1000

_MADE_ANEW = "the topic was deleted and made anew"


@dataclass(frozen=True, slots=True)
class Position:
    """How far a query has read: the next offset of each partition, and the ids of the topics."""

    offsets: Offsets
    ids: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, int] = field(default_factory=dict)
    """Topics that were not seen, and since when."""

    def knows(self, partition: Partition, ids: Mapping[str, str]) -> bool:
        """Return whether it has an offset of a partition whose topic has the same id in `ids`."""
        return partition in self.offsets and self.is_same(partition[0], ids)

    def is_same(self, topic: str, ids: Mapping[str, str]) -> bool:
        """Return whether a topic has the same id in `ids`, as far as both have one."""
        return topic not in self.ids or topic not in ids or self.ids[topic] == ids[topic]

    def updated(self, other: Position) -> Position:
        """Return this position with the offsets of another, which count where both have one."""
        kept = {one: at for one, at in self.offsets.items() if self.knows(one, other.ids)}
        return Position({**kept, **other.offsets}, {**self.ids, **other.ids}, self.absent)

    def without(self, topics: Collection[str]) -> Position:
        """Return this position without what it has of these topics."""
        return Position(
            {one: at for one, at in self.offsets.items() if one[0] not in topics},
            {topic: known for topic, known in self.ids.items() if topic not in topics},
            {topic: since for topic, since in self.absent.items() if topic not in topics},
        )

    def aged(self, seen: Position, now_ms: int) -> Position:
        """Return this position with the topics noted as absent that are not among those `seen`,
        and without those that have been absent for a day. One that is back later, against all
        odds, is begun anew.
        """
        there = {topic for topic, _ in seen.offsets}
        gone = {topic for topic, _ in self.offsets} - there
        absent = {topic: self.absent.get(topic, now_ms) for topic in gone}
        noted = Position(self.offsets, self.ids, absent)
        return noted.without(
            {topic for topic, since in absent.items() if now_ms - since >= _FORGOTTEN_MS}
        )

    def changed(self, offsets: Offsets, ids: Mapping[str, str]) -> Position:
        """Return those of `offsets` that this position does not have, and their topics' ids."""
        new = {
            one: at
            for one, at in offsets.items()
            if not self.knows(one, ids) or self.offsets[one] != at
        }
        topics = {topic for topic, _ in new}
        return Position(new, {topic: ids[topic] for topic in topics if topic in ids})


def initial_document(starting: str) -> Document:
    """Return the offset before the first batch, which says how the start is to be found."""
    return {BEGAN: starting}


def is_initial(document: Mapping[str, Any]) -> bool:
    """Return whether a document is the offset before the first batch."""
    return isinstance(document.get(BEGAN), str)


def to_document(position: Position, began: Position | None = None) -> Document:
    """Return a position as the offset of a batch; `began` is what its start does not know."""
    document: Document = _by_topic(position.offsets)
    if position.ids:
        document[TOPICS] = dict(sorted(position.ids.items()))
    if position.absent:
        document[ABSENT] = dict(sorted(position.absent.items()))
    if began is not None:
        document[BEGAN] = to_document(began)
    return document


def from_document(document: Mapping[str, Any]) -> Position:
    """Return the position that a document holds.

    Raises:
        StreamsError: it is not one of ours.
    """
    try:
        offsets = {
            (topic, int(number)): int(offset)
            for topic, numbers in document.items()
            if topic not in {ABSENT, BEGAN, TOPICS}
            for number, offset in numbers.items()
        }
        return Position(offsets, dict(document.get(TOPICS, {})), dict(document.get(ABSENT, {})))
    except (AttributeError, TypeError, ValueError) as error:
        msg = (
            f"the checkpoint has the offset {document!r}, which is none of a topic: was it written "
            "by a query of another source? use a new checkpoint"
        )
        raise StreamsError(msg) from error


def start_of(start: Mapping[str, Any], end: Mapping[str, Any]) -> Position:
    """Return where the batch between two documents begins."""
    known = Position({}) if is_initial(start) else from_document(start)
    if start == end:  # nothing is between them; where the batch before began does not matter
        return known
    return known.updated(from_document(end.get(BEGAN, {})))


def admit(begin: Offsets, end: Offsets, limit: int | None) -> dict[Partition, int]:
    """Return the end of a batch of about `limit` offsets, shared by the partitions in proportion to
    what each has; each that has something gets one at least, or it would starve beside the others.
    """
    lags = {partition: offset - begin[partition] for partition, offset in end.items()}
    total = sum(lags.values())
    if limit is None or total <= limit:
        return dict(end)
    return {
        partition: begin[partition] + (max(1, limit * lag // total) if lag else 0)
        for partition, lag in lags.items()
    }


@dataclass(frozen=True, slots=True)
class Available:
    """What Kafka has now of the partitions of a batch."""

    firsts: Offsets
    ends: Offsets
    ids: Mapping[str, str] = field(default_factory=dict)


def plan_batch(
    begin: Position, end: Position, now: Available, per_split: int | None = None
) -> tuple[list[Split], list[str]]:
    """Return what a batch reads, and what of it Kafka does not have any more."""
    splits: list[Split] = []
    lost: list[str] = []
    for partition, wanted in sorted(end.offsets.items()):
        if partition not in now.firsts or partition not in now.ends:
            if wanted > begin.offsets.get(partition, 0):
                lost.append(_gone(partition, "it was deleted"))
            continue
        if not end.is_same(partition[0], now.ids):
            lost.append(_gone(partition, _MADE_ANEW))
            continue
        first, last = now.firsts[partition], now.ends[partition]
        known = begin.knows(partition, end.ids) and begin.offsets[partition] <= wanted
        start = begin.offsets[partition] if known else first
        if start < min(first, wanted):
            until = min(first, wanted) - 1
            lost.append(_gone(partition, f"the offsets {start} to {until} were deleted"))
        elif start > wanted:
            lost.append(_gone(partition, f"the offsets before {wanted} were deleted"))
        if wanted > last:
            lost.append(_gone(partition, f"it ends at {last}, and the batch at {wanted}"))
        splits += cut(partition, max(start, first), min(wanted, last), per_split)
    return splits, lost


def find_losses(begin: Position, now: Position) -> list[str]:
    """Return why the records behind a position may not be those that followed it."""
    lost = []
    for partition, offset in sorted(begin.offsets.items()):
        if partition not in now.offsets:
            lost.append(_gone(partition, "it was deleted"))
        elif not begin.knows(partition, now.ids):
            lost.append(_gone(partition, _MADE_ANEW))
        elif now.offsets[partition] < offset:
            shorter = f"it ends at {now.offsets[partition]}, and {offset} was read already"
            lost.append(_gone(partition, shorter))
    return lost


def cut(partition: Partition, start: int, end: int, per_split: int | None) -> list[Split]:
    """Return a range of offsets as splits of at most `per_split`."""
    step = per_split or max(1, end - start)
    return [Split(*partition, at, min(at + step, end)) for at in range(start, end, step)]


def refusal(lost: Iterable[str]) -> StreamsError:
    """Return the error of a query that must not lose records."""
    msg = (
        f"records are lost: {'; '.join(lost)}; to go on with what there is set failOnDataLoss "
        "(fail_on_data_loss) to false, to begin anew use a new checkpoint; a longer retention of "
        "the topic helps a query that falls behind"
    )
    return StreamsError(msg)


def _gone(partition: Partition, why: str) -> str:
    return f"topic {partition[0]!r}, partition {partition[1]}: {why}"


def _by_topic(offsets: Offsets) -> Document:
    found: Document = {}
    # Spark compares offsets as texts, so the order is part of them.
    for (topic, number), offset in sorted(offsets.items()):
        found.setdefault(topic, {})[str(number)] = offset
    return found

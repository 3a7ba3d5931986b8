"""Kafka's offsets as Spark's: the document that a checkpoint holds, and what a batch reads.

A document has the offset of each partition, as that of Spark's own Kafka source does:
`{"orders": {"0": 7, "1": 3}}`. Two entries more, under names that no topic can have:

- `(topics)` has the id of each topic. One that was deleted and made anew has another id: its old
  offsets mean nothing there.
- `(began)` is in the end of a query's first batch, and says where the query began. Spark keeps the
  end of a batch alone; a first batch that is run again would ask for the start anew, and "latest"
  would be another one.

Pure functions: what a batch reads depends on the two documents and on what Kafka still has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from penstock._engine.kafka.client.topic_history import Split
from penstock._engine.planner.tasks import Partition
from penstock.errors import StreamsError

Document: TypeAlias = dict[str, Any]
Offsets: TypeAlias = Mapping[Partition, int]

BEGAN = "(began)"
TOPICS = "(topics)"


@dataclass(frozen=True, slots=True)
class Position:
    """How far a query has read: the next offset of each partition, and the ids of the topics."""

    offsets: Offsets
    ids: Mapping[str, str] = field(default_factory=dict)

    def is_of(self, partition: Partition, ids: Mapping[str, str]) -> bool:
        """Return whether it has an offset of a partition, and its topic still is the same one."""
        topic = partition[0]
        same = topic not in self.ids or topic not in ids or self.ids[topic] == ids[topic]
        return same and partition in self.offsets


def initial_document(starting: str) -> Document:
    """Return the offset before the first batch, which says how the start is to be found."""
    return {BEGAN: starting}


def is_initial(document: Mapping[str, Any]) -> bool:
    """Return whether a document is the offset before the first batch."""
    return isinstance(document.get(BEGAN), str)


def to_document(position: Position, began: Position | None = None) -> Document:
    """Return a position as the offset of a batch; with `began`, of the first one."""
    document: Document = _by_topic(position.offsets)
    if position.ids:
        document[TOPICS] = dict(sorted(position.ids.items()))
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
            if topic not in {BEGAN, TOPICS}
            for number, offset in numbers.items()
        }
        return Position(offsets, dict(document.get(TOPICS, {})))
    except (AttributeError, TypeError, ValueError) as error:
        msg = (
            f"the checkpoint has the offset {document!r}, which is none of a topic: was it written "
            "by a query of another source? use a new checkpoint"
        )
        raise StreamsError(msg) from error


def start_of(start: Mapping[str, Any], end: Mapping[str, Any]) -> Position:
    """Return where the batch between two documents begins."""
    return from_document(end.get(BEGAN, {}) if is_initial(start) else start)


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
        first, last = now.firsts[partition], now.ends[partition]
        known = begin.is_of(partition, end.ids) and begin.offsets[partition] <= wanted
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
        elif not begin.is_of(partition, now.ids):
            lost.append(_gone(partition, "the topic was deleted and made anew"))
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

"""Where the live application goes on after a history that was not read from Kafka: an archive of
the topic has its offsets; for anything else the user names them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.topic_history import Split, TopicRange, find_range, read_split
from penstock.errors import StreamsError

LiveFrom: TypeAlias = Literal["earliest", "latest"] | datetime | int | Mapping[int, int]
"""Where a topic is read on: at its beginning, at its end, at a moment, or at offsets."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A history whose rows have partitions and offsets."""

    ends: Mapping[int, int]
    """Up to where it was read, by partition."""
    row_ends: Mapping[int, int]
    """The offset behind its last row or, without rows, where it began to be read."""


def refuse_left_out(
    archive: Archive, topic: str, told: Collection[int], admin: AdminClient, settings: Any
) -> None:
    """Refuse an archive whose last rows were left out after it was read: the live application goes
    on behind them. Partitions that are `told` are not asked for; `settings` are those of a reader.

    Raises:
        StreamsError: the topic has records behind the rows that were read and are not there.
    """
    starts = find_range(admin, topic).starts
    left: dict[int, int] = {}
    for partition, end in sorted(archive.ends.items()):
        first = max(archive.row_ends.get(partition, 0), starts.get(partition, end))
        # Markers of transactions and what was compacted away are no records.
        split = Split(topic, partition, first, end)
        if partition not in told and first < end and any(read_split(settings, split)):
            left[partition] = first
    if left:
        behind = {partition: archive.ends[partition] for partition in left}
        known = {partition: at for partition, at in left.items() if partition in archive.row_ends}
        parts = [_left_out(topic, known, behind)] if known else []
        if no_rows := {partition: at for partition, at in left.items() if partition not in known}:
            parts.append(_without_rows(topic, no_rows, behind))
        msg = f"the history of topic {topic!r} has gaps before its end: {'; '.join(parts)}"
        raise StreamsError(msg)


def _left_out(topic: str, left: Mapping[int, int], behind: Mapping[int, int]) -> str:
    listed = "; ".join(
        f"partition {partition} was read up to offset {behind[partition]}, its rows end at {first}"
        for partition, first in left.items()
    )
    out = {partition: behind[partition] for partition in left}
    return (
        f"{listed}: the records between were left out, and the live application would go on behind "
        f"them; say where it goes on: live_from={{{topic!r}: {left}}} processes them, {out} leaves "
        f"them out; on the command line --live-from {topic}=MOMENT"
    )


def _without_rows(topic: str, left: Mapping[int, int], behind: Mapping[int, int]) -> str:
    """Return what to do about partitions of which it is not known where they began to be read:
    their records may be older than the history, or left out.
    """
    out = {partition: behind[partition] for partition in left}
    return (
        f"it has no rows of partition {_listed(left)}, and does not know where they began, as one "
        f"that an earlier version has stored: say live_from={{{topic!r}: {out}}} if their records "
        f"are older than the history, or {left} to process them"
    )


def resolve_live_from(
    admin: AdminClient, topic: str, wish: LiveFrom | None, archived: Mapping[int, int] | None
) -> dict[int, int]:
    """Return the offset at which each partition is read on; `archived` says where the history ends,
    None if it does not know offsets.

    Raises:
        StreamsError: it is not known, or records would be left out.
    """
    if wish == "earliest":
        return dict(find_range(admin, topic).starts)
    if isinstance(wish, Mapping):
        return _resolve_offsets(admin, topic, wish, archived)
    if wish is not None:
        return dict(find_range(admin, topic, until=None if wish == "latest" else wish).ends)
    if archived is None:
        msg = (
            f"the history of topic {topic!r} has no columns 'partition' and 'offset', so nobody "
            "knows where the live application goes on: say it, for example "
            f"--live-from {topic}=earliest if the topic holds only what came after the history"
        )
        raise StreamsError(msg)
    return _behind(find_range(admin, topic), archived)


def _resolve_offsets(
    admin: AdminClient, topic: str, wish: Mapping[int, int], archived: Mapping[int, int] | None
) -> dict[int, int]:
    """Return the offsets that the user names; partitions without one go on behind the archive."""
    asked = find_range(admin, topic, until=wish)
    unnamed = set(asked.ends) - set(wish)
    if archived is None and unnamed:
        msg = (
            f"live_from of topic {topic!r} must name an offset of each partition, since its "
            f"history has no columns 'partition' and 'offset'; it has none of {_listed(unnamed)}; "
            "say where they go on: -2 is the first record, -1 the end"
        )
        raise StreamsError(msg)
    told = {number: asked.ends[number] for number in wish}
    others = {number: end for number, end in (archived or {}).items() if number not in wish}
    return {**_behind(find_range(admin, topic), others), **told}


def _behind(whole: TopicRange, archived: Mapping[int, int]) -> dict[int, int]:
    """Return where partitions go on behind an archive; one that it does not know, at its first."""
    for partition, end in archived.items():
        _check(whole.topic, partition, end, whole.starts.get(partition), whole.ends.get(partition))
    return {**whole.starts, **archived}


def _listed(partitions: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(partitions)))


def _check(topic: str, partition: int, end: int, first: int | None, last: int | None) -> None:
    if first is None or last is None:
        msg = f"the history of topic {topic!r} has partition {partition}, which the topic has not"
    elif end < first:
        msg = (
            f"the history of topic {topic!r}, partition {partition} ends at offset {end}, but the "
            f"topic begins at {first}: what was between them is in neither; complete the history, "
            f"or say where to go on: --live-from {topic}=earliest"
        )
    elif end > last:
        msg = (
            f"the history of topic {topic!r}, partition {partition} ends at offset {end}, but the "
            f"topic itself at {last}: it is the history of another topic, or the topic was made "
            f"anew; say where to go on: --live-from {topic}=earliest"
        )
    else:
        return
    raise StreamsError(msg)

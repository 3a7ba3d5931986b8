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
    for partition, end in sorted(archive.ends.items()):
        first = max(archive.row_ends.get(partition, 0), starts.get(partition, end))
        if partition in told or first >= end:
            continue
        # Markers of transactions and what was compacted away are no records.
        split = Split(topic, partition, first, end)
        if any(read_split(settings, split)):
            msg = (
                f"the history of topic {topic!r}, partition {partition} was read up to offset "
                f"{end}, but its rows end at {first}: the records between them were left out, and "
                f"the live application would go on behind them; say where it goes on: live_from="
                f"{{{topic!r}: {{{partition}: {first}}}}}, or {end} if they shall be left out"
            )
            raise StreamsError(msg)


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

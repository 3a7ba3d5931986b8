"""Resuming an application whose group has lost committed offsets: from those of the marks that are
kept with its state. Looks at what is there, and later commits what was shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from confluent_kafka import TopicPartition

from penstock._engine.kafka.application.reset import members_left
from penstock._engine.kafka.client.admin_calls import open_admin
from penstock._engine.kafka.client.groups import commit_offsets, committed_offsets, members_of
from penstock._engine.kafka.client.topics import (
    PATIENCE_SECONDS,
    describe_topics,
    end_offsets,
    first_offsets,
)
from penstock._engine.kafka.worker.offset_marks import read_offset_marks
from penstock._engine.planner.reset import Member, check_not_running
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_DOING = "its offsets are committed"


@dataclass(frozen=True, slots=True)
class LostOffset:
    """A partition that an application has committed and its group has no offset of."""

    topic: str
    partition: int
    marked: int
    """What was committed when the mark was written."""
    marked_ms: int
    is_last: bool
    """Whether that was the last commit; else the state may be further."""
    after: int
    """What is to be committed: the mark, or what the topic has nearest to it."""
    metadata: str


@dataclass(frozen=True, slots=True)
class LostOffsets:
    """All that the group of an application has lost."""

    application_id: str
    members: tuple[Member, ...]
    offsets: tuple[LostOffset, ...]


def find_lost_offsets(config: StreamsConfig, wait_seconds: float = 0.0) -> LostOffsets:
    """Return what the group has lost; wait so long for members to leave.

    Raises:
        StreamsError: the application has left no marks, or the cluster refuses.
    """
    admin, application_id = open_admin(config), config.application_id
    members = members_left(admin, application_id, wait_seconds)
    marks = read_offset_marks(config, admin)
    if not marks:
        msg = (
            f"application {application_id!r} has no offsets with its state on this cluster: it has "
            "no state, has never committed since they are kept, or was reset; is it this "
            "'application.id', and this cluster? if so, reset it (penstock reset APP), or commit "
            "offsets with Kafka's tools"
        )
        raise StreamsError(msg)
    known = describe_topics(admin, {topic for topic, _ in marks}, PATIENCE_SECONDS)
    ids = {topic: str(one.topic_id) for topic, one in known.items()}
    committed = committed_offsets(config, marks)
    lost = {
        at: mark
        for at, mark in sorted(marks.items())
        if at not in committed and mark.applies(at, ids)
    }
    firsts, ends = first_offsets(admin, lost), end_offsets(admin, lost)
    return LostOffsets(
        application_id,
        members,
        tuple(
            LostOffset(
                *at,
                mark.offset,
                mark.time_ms,
                mark.stopped,
                min(max(mark.offset, firsts[at]), ends[at]),
                mark.metadata,
            )
            for at, mark in lost.items()
        ),
    )


def commit_lost_offsets(config: StreamsConfig, lost: LostOffsets) -> None:
    """Commit what the group has lost.

    Raises:
        StreamsError: the application runs, or the cluster refuses.
    """
    admin = open_admin(config)
    # It may have been started since.
    check_not_running(lost.application_id, members_of(admin, lost.application_id), _DOING)
    places = [
        TopicPartition(one.topic, one.partition, one.after, metadata=one.metadata)
        for one in lost.offsets
    ]
    commit_offsets(admin, lost.application_id, places)

"""What holds a producer, and lets go of it; commits themselves are tested on a broker."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from penstock._engine.kafka.client.bulk import NO_ROOM, TAKEN, PlainWriter, Unwritten
from penstock._engine.kafka.client.client_errors import (
    CommitPostponed,
    RecordsRefused,
    TaskMigrated,
)
from penstock._engine.kafka.worker.transactions import (
    AtLeastOnce,
    ExactlyOnce,
    Member,
    _unwritten,
)
from penstock._engine.runtime.commit import CommitOffset
from penstock._engine.runtime.records import Output


@pytest.fixture
def _no_search_for_garbage() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_search_for_garbage")
def test_a_producer_goes_with_the_last_who_holds_it() -> None:
    """Each time a worker loses its tasks it begins with another, and the old one has threads."""
    nobody = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0, "transactional.id": "some"}
    committer = ExactlyOnce(nobody)
    held = weakref.ref(committer)
    del committer
    assert held() is None


def test_records_that_a_fenced_producer_still_had_are_not_refused_records() -> None:
    """They fail with "Local: Fatal error", which was taken for a fault of the record: a zombie
    ended the application (seed 10001 of tests/chaos).
    """
    left = Unwritten("counts-changelog", 0, None, None, KafkaError(KafkaError._FATAL))
    told = _unwritten([left])
    assert type(told) is TaskMigrated


class Fenced:
    """A producer that was fenced: whatever is asked of it raises."""

    def poll(self, _seconds: float) -> int:
        raise KafkaException(KafkaError(KafkaError._FENCED))


def test_a_producer_that_is_fenced_while_it_tells_of_records_is_a_migration() -> None:
    """The client's own exception ended the worker (seed 24001 of tests/chaos)."""
    nobody = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0, "transactional.id": "some"}
    committer = ExactlyOnce(nobody)
    committer._producer = cast("Producer", Fenced())
    with pytest.raises(TaskMigrated, match="of no use any more"):
        committer._poll_deliveries(0)


ROOM: dict[str, str | int] = {
    "bootstrap.servers": "127.0.0.1:1",
    "log_level": 0,
    "message.max.bytes": 5_000_000,
    "queue.buffering.max.kbytes": 1024,
}


def test_a_record_that_the_producer_never_has_room_for_is_refused() -> None:
    """It was tried again for ever, without a word."""
    committer = AtLeastOnce(ROOM, cast("Member", SimpleNamespace(session_seconds=45.0)))
    with pytest.raises(RecordsRefused, match="could not be written"):
        committer.send([("out", 0, b"key", b"x" * 2_000_000, 1, ())])


def test_records_that_find_room_a_little_later_are_not_refused() -> None:
    """The queue may be empty again before it is looked at: then the next records fill it."""
    committer = AtLeastOnce(ROOM, cast("Member", SimpleNamespace(session_seconds=45.0)))
    answers = iter([(5, NO_ROOM), (9, NO_ROOM), (12, TAKEN)])
    committer._writer = cast(
        "PlainWriter", SimpleNamespace(write=lambda outputs, first: next(answers), failures=list)
    )
    committer.send([("out", 0, b"key", b"value", 1, ())] * 12)


def test_offsets_are_committed_by_the_consumer_that_the_member_has_now() -> None:
    """A worker that joined the group again committed with the consumer that it had closed."""
    committed: list[str] = []

    def consumer(name: str) -> SimpleNamespace:
        return SimpleNamespace(
            consumer_group_metadata=lambda: name,
            commit=lambda **_: committed.append(name),
        )

    member = SimpleNamespace(session_seconds=45.0, consumer=consumer("old"))
    committer = AtLeastOnce(ROOM, cast("Member", member))
    member.consumer = consumer("new")
    committer.commit({("in", 0): CommitOffset(1, "")}, "new")
    assert committed == ["new"]


def test_without_transactions_marks_are_written_behind_the_offsets_they_stand_for() -> None:
    """A mark without its offset would refuse an application that was killed before its commit."""
    steps: list[str] = []

    def commit(**_: object) -> None:
        steps.append("offsets")
        if len(steps) == 1:
            raise KafkaException(KafkaError(KafkaError.ILLEGAL_GENERATION))

    def write(outputs: list[Output], first: int) -> tuple[int, int]:
        steps.append("marks")
        return len(outputs), TAKEN

    consumer = SimpleNamespace(consumer_group_metadata=lambda: "now", commit=commit)
    member = SimpleNamespace(session_seconds=45.0, consumer=consumer)
    committer = AtLeastOnce(ROOM, cast("Member", member))
    committer._writer = cast("PlainWriter", SimpleNamespace(write=write, failures=list))
    mark: Output = ("tasks", 0, b"key", b"value", None, ())
    with pytest.raises(CommitPostponed):
        committer.commit({("in", 0): CommitOffset(1, "")}, "now", [mark])
    committer.commit({("in", 0): CommitOffset(1, "")}, "now", [mark])
    assert steps == ["offsets", "offsets", "marks"]


def test_without_transactions_a_mark_that_cannot_be_written_undoes_no_commit() -> None:
    """The worker dropped its state behind offsets that were committed."""
    gone = Unwritten("tasks", 0, None, None, KafkaError(KafkaError._MSG_TIMED_OUT))
    failures = iter([[], [gone]])
    consumer = SimpleNamespace(consumer_group_metadata=lambda: "now", commit=lambda **_: None)
    member = SimpleNamespace(session_seconds=45.0, consumer=consumer)
    committer = AtLeastOnce(ROOM, cast("Member", member))
    committer._writer = cast(
        "PlainWriter",
        SimpleNamespace(
            write=lambda outputs, first: (len(outputs), TAKEN),
            failures=lambda: next(failures, []),
        ),
    )
    mark: Output = ("tasks", 0, b"key", b"value", None, ())
    offsets = {("in", 0): CommitOffset(1, "")}
    assert not committer.commit(offsets, "now", [mark])
    assert committer.commit(offsets, "now", [mark])

"""A Kafka in memory, and a worker's clients on it: each notes in `events` what it is asked to do.

One group generation, transactions without fencing. The tasks, their stores and the state directory
are real.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.client_errors import BrokerAway, TaskCorrupted
from penstock._engine.kafka.tasks.open_transactions import HeldBack
from penstock._engine.kafka.tasks.restore import RestoreJob
from penstock._engine.kafka.worker.membership import TaskOwner
from penstock._engine.kafka.worker.offset_marks import Marks
from penstock._engine.kafka.worker.worker_clients import GroupMembership, WorkerClients

Place = tuple[str, int]


class FakeKafka:
    """Topics, the committed offsets of one group, and at most one open transaction."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.topics: dict[Place, list[Any]] = defaultdict(list)
        self.committed: dict[Place, tuple[int, str]] = {}
        self.open_transaction: list[Any] = []
        self.marks: dict[Any, bytes] = {}
        """The last mark of committed offsets of each key, by partition of the task topic."""
        self.refusals: deque[Exception] = deque()
        """What the next commits fail with."""
        self.refuses_marks = False
        """Whether commits are performed without their marks."""
        self.marks_are_away = 0
        """How many times the marks cannot be read."""
        self.corrupted: set[Place] = set()
        """Changelogs that cannot be read on."""
        self.restored_from: dict[Place, list[int | None]] = defaultdict(list)
        self.committers = 0
        self.membership: FakeMembership

    def note(self, event: str) -> None:
        self.events.append(event)

    def take_events(self) -> list[str]:
        events, self.events = self.events, []
        return events

    def write(self, topic: str, number: int, *rows: tuple[str, str]) -> None:
        """Append committed records to a topic."""
        log = self.topics[topic, number]
        log += [(1, key.encode(), value.encode()) for key, value in rows]

    def values(self, topic: str, number: int = 0) -> list[tuple[bytes, bytes]]:
        """Return the committed keys and values of a partition."""
        return [(key, value) for _, key, value in self.topics[topic, number]]

    def end(self, place: Place) -> int:
        """Return where a partition ends, with what is written in the open transaction."""
        pending = sum((topic, number or 0) == place for topic, number, *_ in self.open_transaction)
        return len(self.topics[place]) + pending

    def clients(self) -> WorkerClients:
        """Return clients for a worker."""

        def join(owner: TaskOwner) -> GroupMembership:
            self.membership = FakeMembership(self, owner)
            return self.membership

        return WorkerClients(
            cast("AdminClient", FakeAdmin(self)),
            FakeInputs(self),
            FakeRestorer(self),
            join,
            lambda membership: FakeCommitter(self),
            self._read_marks,
        )

    def _read_marks(self, _tasks: Collection[int] | None) -> Marks:
        if self.marks_are_away:
            self.marks_are_away -= 1
            raise BrokerAway("the task topic cannot be read")
        return {}


class FakeAdmin:
    """Answers for ends of partitions, and deletes records."""

    def __init__(self, kafka: FakeKafka) -> None:
        self._kafka = kafka

    def list_offsets(self, asked: Iterable[TopicPartition], **_: Any) -> dict[Any, Future[Any]]:
        answers = {}
        for place in asked:
            self._kafka.note(f"end of {place.topic}-{place.partition}")
            answers[place] = Future[Any]()
            end = self._kafka.end((place.topic, place.partition))
            answers[place].set_result(SimpleNamespace(offset=end))
        return answers

    def describe_configs(self, asked: Iterable[Any], **_: Any) -> dict[Any, Future[Any]]:
        answers = {}
        for resource in asked:
            self._kafka.note(f"settings of {resource.name}")
            answers[resource] = Future[Any]()
            kept = {"cleanup.policy": "compact", "delete.retention.ms": "86400000"}
            answers[resource].set_result(
                {name: SimpleNamespace(value=value) for name, value in kept.items()}
            )
        return answers

    def describe_consumer_groups(self, groups: list[str], **_: Any) -> dict[str, Future[Any]]:
        self._kafka.note("look at the group")
        answer = Future[Any]()
        answer.set_result(SimpleNamespace(members=[]))
        return dict.fromkeys(groups, answer)

    def delete_records(self, places: list[TopicPartition]) -> dict[Any, Future[Any]]:
        for place in places:
            self._kafka.note(f"purge {place.topic}-{place.partition} before {place.offset}")
        return {}


class FakeInputs:
    """Reads all that is there at each call."""

    def __init__(self, kafka: FakeKafka) -> None:
        self._kafka = kafka
        self.lags: dict[Place, int] = {}
        self._positions: dict[Place, int] = {}

    def committed(
        self, partitions: Iterable[Place], _timeout_seconds: float = 0.0
    ) -> dict[Place, tuple[int, str] | None]:
        asked = list(partitions)
        for topic, number in asked:
            self._kafka.note(f"committed offset of {topic}-{number}")
        return {place: self._kafka.committed.get(place) for place in asked}

    def renew(self) -> None:
        assert not self._positions
        self._kafka.note("renew inputs")

    def add(self, offsets: Mapping[Place, int]) -> None:
        for (topic, number), offset in offsets.items():
            begin = max(0, offset)
            self._kafka.note(f"read {topic}-{number} from {begin}")
            self._positions[topic, number] = begin
            self.lags[topic, number] = 1

    def remove(self, partitions: Iterable[Place]) -> None:
        for topic, number in partitions:
            if self._positions.pop((topic, number), None) is not None:
                self._kafka.note(f"stop reading {topic}-{number}")
                del self.lags[topic, number]

    def read(self, wait_seconds: float, limit: int) -> dict[Place, list[Any]]:
        batch: dict[Place, list[Any]] = {}
        for place, position in self._positions.items():
            rows = self._kafka.topics[place]
            if rows[position:]:
                batch[place] = [
                    (offset, *rows[offset], ()) for offset in range(position, len(rows))
                ]
            self._positions[place] = len(rows)
            self.lags[place] = 0
        return batch

    def pause(self, partition: Place) -> None: ...

    def resume(self, partition: Place) -> None: ...

    def wake(self) -> bool:
        return True

    def offset_at(self, partition: Place, time_ms: int) -> int:
        rows = self._kafka.topics[partition]
        return sum(time < time_ms for time, _, _ in rows)

    def end_met(self, partition: Place) -> int:
        return self._positions[partition]

    def held_back(self) -> dict[Place, HeldBack]:
        return {}

    def lag(self, partitions: Iterable[Place] | None = None) -> int | None:
        asked = self._positions if partitions is None else partitions
        return sum(self._kafka.end(place) - self._positions[place] for place in asked)

    def close(self) -> None:
        self._kafka.note("close inputs")


class FakeRestorer:
    """Restores each changelog in one call."""

    def __init__(self, kafka: FakeKafka) -> None:
        self._kafka = kafka
        self._jobs: dict[Place, RestoreJob] = {}

    def begin(self, jobs: Iterable[RestoreJob]) -> None:
        for job in jobs:
            topic, number = job.partition
            self._kafka.note(f"restore {topic}-{number} from {job.start} to {job.end}")
            self._kafka.restored_from[job.partition].append(job.start)
            job.reached = job.start or 0
            if not job.done:
                self._jobs[job.partition] = job

    def drop(self, partitions: Iterable[Place]) -> None:
        for partition in partitions:
            self._jobs.pop(partition, None)

    def work(self, wait_seconds: float) -> None:
        for place, job in list(self._jobs.items()):
            if place in self._kafka.corrupted:
                self._kafka.corrupted.discard(place)
                raise TaskCorrupted("records are gone", place)
            rows = self._kafka.topics[place][job.reached : job.end]
            job.apply([(key, value, time) for time, key, value in rows], job.end)
            job.reached = job.end
            del self._jobs[place]

    def rest(self, now: float) -> None: ...

    def remaining(self) -> int:
        return sum(job.end - job.reached for job in self._jobs.values())

    def take_events(self) -> tuple[Any, ...]:
        return ()

    def close(self) -> None:
        self._kafka.note("close restorer")


class FakeMembership:
    """A group that does what the test has lined up, at the next poll."""

    metadata: Any = None
    consumer: Any = None
    session_seconds = 45.0

    def __init__(self, kafka: FakeKafka, owner: TaskOwner) -> None:
        self._kafka = kafka
        self._owner = owner
        self._next: deque[Callable[[], None]] = deque()

    def assign(self, *tasks: int) -> None:
        self._next.append(lambda: self._assign(tasks))

    def revoke(self, *tasks: int) -> None:
        self._next.append(lambda: self._owner.tasks_revoked(tasks))

    def lose(self, *tasks: int) -> None:
        self._next.append(lambda: self._owner.tasks_lost(tasks))

    def _assign(self, tasks: tuple[int, ...]) -> None:
        self.metadata = "generation 1"
        self._owner.tasks_assigned(tasks)

    def poll(self, timeout_seconds: float = 0.0) -> None:
        if self._next:
            self._next.popleft()()

    def prove_ownership(self) -> None: ...

    def leave(self) -> None:
        self._kafka.note("leave")

    def rejoin(self) -> None:
        self._kafka.note("rejoin")


class FakeCommitter:
    """Writes outputs into the open transaction, and commits it unless a refusal is lined up."""

    def __init__(self, kafka: FakeKafka) -> None:
        self._kafka = kafka
        kafka.committers += 1

    def prepare(self) -> None: ...

    def send(self, outputs: list[Any]) -> None:
        topics = sorted({f"{topic}-{number or 0}" for topic, number, *_ in outputs})
        self._kafka.note(f"send to {', '.join(topics)}")
        self._kafka.open_transaction += outputs

    def flush(self) -> bool:
        return True

    def commit(
        self, offsets: Mapping[Place, Any], group_metadata: Any, marks: Sequence[Any] = ()
    ) -> bool:
        assert group_metadata == "generation 1"
        if self._kafka.refusals:
            refusal = self._kafka.refusals.popleft()
            self._kafka.note(f"refuse commit: {refusal}")
            raise refusal
        for topic, number, key, value, time, _ in self._kafka.open_transaction:
            self._kafka.topics[topic, number or 0].append((time, key, value))
        self._kafka.open_transaction.clear()
        written = () if self._kafka.refuses_marks else marks
        for topic, number, key, value, *_ in written:
            self._kafka.marks[topic, number, key] = value
        for place, commit in offsets.items():
            self._kafka.committed[place] = (commit.offset, commit.metadata)
        shown = ", ".join(f"{topic}-{n}@{at.offset}" for (topic, n), at in offsets.items())
        self._kafka.note(f"commit {shown}")
        return not (marks and self._kafka.refuses_marks)

    def abort(self) -> None:
        self._kafka.open_transaction.clear()
        self._kafka.note("abort")

    def close(self) -> None:
        self._kafka.note("close producer")

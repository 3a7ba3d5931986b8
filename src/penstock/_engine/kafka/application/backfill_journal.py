"""The journal of a backfill, in the application's task topic: its plan, and its progress.

The plan lies in partition 0: up to where the inputs are history, and of which program. How far each
task has come lies in the task's own partition, written in the transaction that wrote the outputs.
The last transaction of a backfill deletes it all and commits the inputs' offsets, so there is no
moment at which it is both finished and unfinished.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.application.task_records import read_task_records
from penstock._engine.kafka.client.topics import existing_topics
from penstock._engine.planner.internal_topics import task_topic_name
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

PLAN_KEY = b"backfill"
PROGRESS_KEY = b"backfill-task"
PLAN_PARTITION = 0
_COMMIT_OF_FORMAT_1 = 10_000
_FORMAT = 3

RECORDS_PER_COMMIT = 50_000
"""Of a backfill that begins now. With a cache, each commit writes the rows that changed since the
one before.
"""
BYTES_PER_COMMIT = 16 * 1024 * 1024
"""Of the values that were read: what is not committed is in memory."""


@dataclass(frozen=True, slots=True)
class InputPlan:
    """What of an input is history."""

    origin: str
    """Where the history is read: `kafka`, or what says which files."""
    starts: Mapping[int, int]
    ends: Mapping[int, int]
    """Where the live application goes on, by partition."""


@dataclass(frozen=True, slots=True)
class BackfillPlan:
    """A backfill that has begun. A second run follows this plan exactly."""

    run_id: str
    program_id: str
    """Of the program's shape: see `planner/fingerprint.py`."""
    began_ms: int
    """The wall clock of the whole job, whenever it runs."""
    inputs: Mapping[str, InputPlan]
    records_per_commit: int = RECORDS_PER_COMMIT
    """Of a job whose tasks all read all their inputs from Kafka (`is_direct`); where Spark carries
    any records, each task of the job commits by `JobOptions.records_per_commit`, 10,000, and by no
    number of bytes. 10,000 as well in a plan of format 1.
    """
    bytes_per_commit: int | None = BYTES_PER_COMMIT
    """Of the same job: what comes first counts. Also the most of a batch. None, for no limit, in a
    plan of format 1.
    """
    tasks: tuple[str, ...] = ()
    """The ids of all tasks; the place of one is its partition in the task topic, with its progress.
    Empty in a plan of the formats 1 and 2.
    """

    def check_tasks(self, tasks: Sequence[str], partition_counts: Mapping[str, int]) -> None:
        """Refuse to go on if the application has other tasks than when the backfill began: the
        progress of one would be taken for that of another.

        Raises:
            StreamsError: it has.
        """
        grown = [
            f"topic {topic!r} had {len(one.ends)} partitions and has {partition_counts[topic]}"
            for topic, one in sorted(self.inputs.items())
            if partition_counts.get(topic, len(one.ends)) != len(one.ends)
        ]
        if self.tasks and tuple(tasks) != self.tasks:
            grown.append(f"it had tasks {', '.join(self.tasks)} and has {', '.join(tasks)}")
        if grown:
            msg = (
                f"the backfill that has begun cannot go on, since partitions were added to what "
                f"the program reads: {'; '.join(grown)}; begin anew with --reset, which writes "
                "once more what is in the program's output topics already"
            )
            raise StreamsError(msg)

    def to_json(self) -> bytes:
        """Return it as bytes for the task topic."""
        return json.dumps({"format": _FORMAT, **asdict(self)}, sort_keys=True).encode()

    @classmethod
    def from_json(cls, text: bytes) -> BackfillPlan:
        """Read it from bytes.

        Raises:
            StreamsError: a later version of Penstock has written it.
        """
        document = json.loads(text)
        form = document.pop("format")
        if form == 1:
            document |= {"records_per_commit": _COMMIT_OF_FORMAT_1, "bytes_per_commit": None}
        elif form not in {2, _FORMAT}:
            msg = (
                "the backfill that has begun was begun by another version of Penstock: go on there"
            )
            raise StreamsError(msg)
        inputs = {
            topic: InputPlan(
                one["origin"],
                {int(number): offset for number, offset in one["starts"].items()},
                {int(number): offset for number, offset in one["ends"].items()},
            )
            for topic, one in document.pop("inputs").items()
        }
        tasks = tuple(document.pop("tasks", ()))
        return cls(**document, inputs=inputs, tasks=tasks)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a task has come: chunks written, their checksum; at the end, what the live task must
    know beside its offsets.
    """

    run_id: str
    chunks: int = 0
    checksum: int = 0
    records: int = 0
    """Written so far."""
    done: bool = False
    metadata: Mapping[str, str] = field(default_factory=dict)
    """By input partition, `topic/number`."""

    def to_json(self) -> bytes:
        """Return it as bytes for the task topic."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, text: bytes) -> Progress:
        """Read it from bytes."""
        return cls(**json.loads(text))


def read_plan(config: StreamsConfig, admin: AdminClient) -> BackfillPlan | None:
    """Return the unfinished backfill, None if there is none."""
    topic = task_topic_name(config.application_id)
    if topic not in existing_topics(admin):
        return None
    text = read_task_records(config, admin, topic, [PLAN_PARTITION])[PLAN_PARTITION].get(PLAN_KEY)
    return None if text is None else BackfillPlan.from_json(text)


def read_progress(
    config: StreamsConfig, admin: AdminClient, task_indexes: Iterable[int], run_id: str
) -> list[Progress]:
    """Return the progress of each task in a run; that of a beginning where none is recorded."""
    topic = task_topic_name(config.application_id)
    kept = read_task_records(config, admin, topic, task_indexes)
    return [_progress(records.get(PROGRESS_KEY), run_id) for records in kept.values()]


def _progress(text: bytes | None, run_id: str) -> Progress:
    progress = Progress(run_id) if text is None else Progress.from_json(text)
    return progress if progress.run_id == run_id else Progress(run_id)


def refuse_unfinished_backfill(config: StreamsConfig, admin: AdminClient) -> None:
    """Refuse to run an application whose state is half written.

    Raises:
        StreamsError: a backfill of it has begun and not finished.
    """
    if read_plan(config, admin) is not None:
        msg = (
            f"application {config.application_id!r} cannot start: a backfill of it has begun and "
            "not finished, so its state is not complete; run 'penstock backfill' again, which goes "
            "on where it ended"
        )
        raise StreamsError(msg)

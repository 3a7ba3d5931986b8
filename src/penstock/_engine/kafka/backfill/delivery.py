"""Where a task of a backfill sends what it produces: transactions under a name of its own.

First an earlier producer of that name is fenced and its open transaction aborted; only then its
progress is read. Chunks that are written already are skipped, and their checksums compared: a
program with other outputs the second time is refused before anything more is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from confluent_kafka.admin import AdminClient

from penstock import _clock as clock
from penstock._engine.kafka.application.backfill_journal import (
    PROGRESS_KEY,
    Progress,
    read_progress,
)
from penstock._engine.kafka.backfill.chunks import Chunk, Chunker, Limits, checksum
from penstock._engine.kafka.client.client_errors import CommitPostponed
from penstock._engine.kafka.client.clients import admin_settings, producer_settings
from penstock._engine.kafka.worker.transactions import ExactlyOnce
from penstock._engine.planner.internal_topics import task_topic_name
from penstock._engine.runtime.commit import CommitOffset
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_PREPARE_SECONDS = 120.0
_TRANSACTION_TIMEOUT_MS = 60_000


@dataclass(frozen=True, slots=True)
class DeliverySite:
    """What all deliveries of a job share; travels to the executors."""

    config: StreamsConfig
    run_id: str
    compacted: frozenset[str]
    """Changelogs of which the last value of each key counts."""
    limits: Limits | None = None


class TaskDelivery:
    """Writes the outputs of one task, each once over all attempts."""

    def __init__(self, site: DeliverySite, task_index: int) -> None:
        self._config, self._index = site.config, task_index
        self._topic = task_topic_name(site.config.application_id)
        self._chunker = Chunker(site.compacted, site.limits)
        self._committer = backfill_committer(site.config, str(task_index))
        self._now = Progress(site.run_id)
        self._metadata: dict[str, str] = {}
        # The first chunk is made while the broker is asked, the next while the last is written.
        self._writer = ThreadPoolExecutor(1)
        self._writing: Future[None] | None = None
        self._found = self._writer.submit(self._begin, site.run_id)

    def take(self, outputs: Iterable[Output]) -> None:
        """Take what the task has produced, in order: sinks and changelogs, no repartition topics.

        Raises:
            StreamsError: it could not be written, or is not what was written the first time.
        """
        if self._found.done():
            self._found.result()  # not only when the first chunk is full
        for chunk in self._chunker.add(outputs):
            self._put(chunk)

    def committed(self, offsets: Iterable[tuple[tuple[str, int], CommitOffset]]) -> None:
        """Keep the metadata that the task would commit with its offsets; the last of a partition
        counts.
        """
        for (topic, number), commit in offsets:
            self._metadata[f"{topic}/{number}"] = commit.metadata

    def finish(self) -> int:
        """Write the rest and that the task is done; return how many records it has written."""
        self._put(self._chunker.rest(), done=True)
        self._wait_for_write()
        return self._now.records

    def close(self) -> None:
        """Close the producer; an open transaction is aborted."""
        self._writer.shutdown()
        self._committer.close()

    def _begin(self, run_id: str) -> Progress:
        """Fence earlier producers of this task; then return what they have written."""
        prepare(self._committer)
        admin = AdminClient(admin_settings(self._config))
        (written,) = read_progress(self._config, admin, [self._index], run_id)
        return written

    def _put(self, chunk: Chunk, *, done: bool = False) -> None:
        before = self._now
        self._now = replace(
            before,
            chunks=before.chunks + 1,
            checksum=checksum(chunk, before.checksum),
            records=before.records + len(chunk),
            done=done,
            metadata=self._metadata if done else {},
        )
        if before.chunks < self._found.result().chunks:
            self._compare()
            return
        self._wait_for_write()
        self._writing = self._writer.submit(self._write, chunk, self._now)

    def _compare(self) -> None:
        """Check that the skipped chunks are those that were written."""
        now, written = self._now, self._found.result()
        if now.done == (written.done and now.chunks == written.chunks) and (
            now.chunks < written.chunks or now.checksum == written.checksum
        ):
            return
        msg = (
            f"task {self._index} of the backfill gives other records than when it first ran: the "
            "program was changed, or depends on chance, on the time or on something outside; "
            f"{written.records} records of the first run are written and stay as they are; "
            "make the program repeatable, or begin anew with --reset"
        )
        raise StreamsError(msg)

    def _write(self, chunk: Chunk, progress: Progress) -> None:
        record = (self._topic, self._index, PROGRESS_KEY, progress.to_json(), None, ())
        self._committer.send([*chunk, record])
        self._committer.commit({}, None)

    def _wait_for_write(self) -> None:
        """Wait until the last chunk is written; raise what its write raised."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            writing.result()


def compacted_changelogs(stores: Iterable[tuple[str, str | None]]) -> frozenset[str]:
    """Return the changelogs of which the last value of each key counts; `stores` are kinds of
    stores and their changelogs.
    """
    return frozenset(
        changelog
        for kind, changelog in stores
        if changelog is not None and kind != "versioned_key_value"
    )


def backfill_committer(config: StreamsConfig, name: str) -> ExactlyOnce:
    """Make transactions of a backfill, whatever the guarantee of the application."""
    wishes = {
        **config.given(),
        "processing.guarantee": "exactly_once_v2",
        # The user's values of these are meant for the live application's commits.
        "commit.interval.ms": 100,
        "producer.transaction.timeout.ms": _TRANSACTION_TIMEOUT_MS,
    }
    return ExactlyOnce(producer_settings(StreamsConfig(wishes), f"backfill-{name}"))


def prepare(committer: ExactlyOnce) -> None:
    """Fence earlier producers of the name; wait for a slow broker."""
    deadline = clock.monotonic() + _PREPARE_SECONDS
    while True:
        try:
            committer.prepare()
        except CommitPostponed:
            if clock.monotonic() >= deadline:
                raise
        else:
            return

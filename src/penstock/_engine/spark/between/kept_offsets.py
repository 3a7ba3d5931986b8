"""The committed offsets of a run, kept in its folder: a broker forgets those of a group without
members after `offsets.retention.minutes`.

The law: while an application runs, each partition of its inputs has a committed offset, the first
one from before it starts. So an offset that is missing was forgotten, and is committed again or
refused. It is never taken for a beginning.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from typing import Protocol

from penstock._engine.kafka.application.carrier_topics import (
    END_SECONDS,
    CarrierTopics,
    Offsets,
    begin_offsets,
    has_started,
    look_at,
    offsets_of_group,
    patience_after_kill,
    restore_offsets,
    topics_that_tell_ends,
    wait_until_readable,
)
from penstock._engine.planner.stages import JobPlan
from penstock._engine.spark.between.first_start import OpenedRecord
from penstock._engine.spark.between.run_folder import ROUTED, RunRecord
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)


class Folder(Protocol):
    """Where the record of a run is stored. Implemented by `RunFolder`."""

    def write(self, record: RunRecord) -> None: ...


def topics_of_tasks(plan: JobPlan) -> set[str]:
    """Return the topics that the tasks read, and so commit; those of global tables are not."""
    return {topic for stage in plan.stages for topic in stage.topics()}


def go_on(
    made: OpenedRecord,
    config: StreamsConfig,
    folder: Folder,
    read: Collection[str],
    inputs: CarrierTopics,
) -> None:
    """Commit what the application had committed and the broker has forgotten, and where it begins
    in what is new; note it. `read` are the topics of its tasks, the `inputs` of the run are there.

    Raises:
        StreamsError: what the broker has forgotten is known nowhere.
    """
    if made.record.offsets and not has_started(config):  # it was reset
        made.record.offsets = {}
    committed = offsets_of_group(config, patience_after_kill(config))
    forgotten = made.forgotten_offsets(committed)
    if forgotten:
        forgotten = _to_restore(made, config, folder, read, (committed, forgotten))
        restore_offsets(config, forgotten)
    new = made.places_to_begin(committed, inputs, read)
    _begin(config, new)
    if forgotten or new:
        committed = offsets_of_group(config, patience_after_kill(config))
    made.note_offsets(committed, is_running=True)


def note_end(
    made: OpenedRecord, outputs: Iterable[str], config: StreamsConfig, folder: Folder
) -> None:
    """Note how far an application got that has ended, for the next start; then wait until its
    outputs can be read. Neither waits long for a cluster that is away.

    Raises:
        StreamsError: the cluster does not answer.
    """
    most_ms = min(config.task_timeout_ms, int(END_SECONDS * 1000))
    config = StreamsConfig({**config.given(), "task.timeout.ms": most_ms})
    made.note_offsets(offsets_of_group(config, END_SECONDS), is_running=False)
    folder.write(made.record)
    names = set(outputs)
    if ROUTED in names:
        names = names - {ROUTED} | topics_that_tell_ends(config)
    wait_until_readable(config, names)


def _to_restore(
    made: OpenedRecord,
    config: StreamsConfig,
    folder: Folder,
    read: Collection[str],
    offsets: tuple[Offsets, Offsets],
) -> Offsets:
    """Return what to commit again, of the offsets that are committed and those that the broker has
    forgotten.
    """
    committed, forgotten = offsets
    now = look_at(config, {*read, *forgotten})
    gone = made.drop_gone(forgotten, now)
    for topic in sorted(gone):
        _log.warning(
            "topic=%s application=%s: what folder %s knows of it is not committed again: it was "
            "deleted",
            topic,
            config.application_id,
            made.location,
        )
    forgotten = made.forgotten_offsets(committed)
    if not made.record.is_running:
        for topic, places in forgotten.items():
            _log.warning(
                "topic=%s application=%s: the broker has forgotten the committed offsets, those "
                "of folder %s are committed again: %s",
                topic,
                config.application_id,
                made.location,
                ", ".join(f"partition {number} at {at[0]}" for number, at in places.items()),
            )
        return forgotten
    if forgotten.keys() & set(read):
        # So that the next start asks for all of them, though the run had not noted them.
        unknown = made.add_unknown(committed, now, read)
        folder.write(made.record)
        raise made.unknown_offsets(unknown)
    return {}


def _begin(config: StreamsConfig, places: list[tuple[str, int]]) -> None:
    try:
        begin_offsets(config, places)
    except StreamsError as error:
        # Of a run that was killed a moment ago, members may be left. It begins there without this.
        _log.warning("where new inputs begin cannot be committed before the start: %s", error)

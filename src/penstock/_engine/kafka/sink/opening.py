"""A run of a query opens its journal before it writes: earlier runs can write no more.

A driver that is thought to be dead may have tasks that still write, under more transactional ids
than this run uses. So the run is announced first, then all ids that were ever claimed are fenced,
then it is open. A writer that claims its id later reads the announcement, and stops.

One task of the run does this, under a transactional id that serves as a lock. Others wait while it
claims the lock again and again (`OpeningWatch`), and take its place if it does not any more. A task
whose lock was taken stops at its next claim, so that it fences no writer of a run that is open.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from penstock import _clock as clock
from penstock._engine.kafka.sink.journal_state import (
    LOCK_ID,
    JournalState,
    Run,
    claim_record,
    run_record,
)
from penstock._engine.kafka.sink.replay import Place
from penstock._engine.kafka.sink.sink_transactions import SinkClients, SinkTransactions
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_OPENER_SECONDS = 30.0
_FENCED_AT_ONCE = 4
_FENCED_BETWEEN_CLAIMS = 20


class Superseded(StreamsError):
    """A later run of the query has begun: this one must not write any more."""


def is_open(state: JournalState, run_id: str) -> bool:
    """Yes if a run may write.

    Raises:
        Superseded: another run has begun since.
    """
    if state.run is None:
        return False
    if run_id in state.run.superseded:
        msg = (
            f"run {run_id} of the query was superseded by run {state.run.run_id}: two drivers use "
            "one checkpoint, or this one was thought to be dead"
        )
        raise Superseded(msg)
    return state.run.run_id == run_id and state.run.is_open


class OpeningWatch:
    """Watches another task of the run that opens it."""

    def __init__(self) -> None:
        self._claim: str | None = None
        self._since = clock.monotonic()

    def is_another_at_it(self, state: JournalState, run_id: str) -> bool:
        """Yes if another task has announced the run and has claimed the lock since the last call,
        or not long before it.
        """
        if state.run is None or state.run.run_id != run_id:
            return False
        claim = state.claims.get(LOCK_ID)
        if claim != self._claim:
            self._claim, self._since = claim, clock.monotonic()
        return clock.monotonic() - self._since < _OPENER_SECONDS


def open_run(clients: SinkClients, place: Place) -> None:
    """Open the journal for a run.

    Raises:
        TaskMigrated: another task of the run opens it.
        Superseded: another run has begun since.
        StreamsError: it could not be done.
    """
    lock, state = clients.claim(LOCK_ID, place.run_id)
    try:
        if not is_open(state, place.run_id):
            _open(clients, lock, state, place)
    finally:
        lock.close()


def _open(clients: SinkClients, lock: SinkTransactions, state: JournalState, place: Place) -> None:
    if state.run is None and place.batch > 0:
        _log.warning(
            "journal=%s is new, though query %s is at batch %s: if it was deleted, a batch that "
            "runs again may be written twice",
            clients.place.topic,
            place.query,
            place.batch,
        )
    run = Run(place.run_id, False) if state.run is None else state.run.follow(place.run_id)
    run = replace(run, is_open=False)
    claim = clock.new_id()
    announcement = run_record(run), claim_record(LOCK_ID, claim, place.run_id)
    lock.send([clients.place.record(*record) for record in announcement])
    lock.finish()
    state = clients.read_to_claim(LOCK_ID, claim, place.run_id)
    ids = [id_ for id_ in state.claims if id_ != LOCK_ID]
    with ThreadPoolExecutor(_FENCED_AT_ONCE) as threads:
        for at in range(0, len(ids), _FENCED_BETWEEN_CLAIMS):
            list(threads.map(clients.fence, ids[at : at + _FENCED_BETWEEN_CLAIMS]))
            # Says that this task is still at it, and fails if another has taken its place.
            still_here = claim_record(LOCK_ID, clock.new_id(), place.run_id)
            lock.write_record(clients.place.record(*still_here))
    lock.write_record(clients.place.record(*run_record(replace(run, is_open=True))))

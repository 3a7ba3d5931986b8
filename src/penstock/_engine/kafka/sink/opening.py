"""A run of a query opens its journal before it writes: earlier runs can write no more.

A driver that is thought to be dead may have tasks that still write, under more transactional ids
than this run uses. So the run is announced first, then all ids that were ever claimed are fenced,
then it is open. A writer that claims its id later reads the announcement, and stops.
"""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from penstock import _clock as clock
from penstock._engine.kafka.client.client_errors import TaskMigrated
from penstock._engine.kafka.sink.journal_state import JournalState, Run, claim_record, run_record
from penstock._engine.kafka.sink.replay import Place
from penstock._engine.kafka.sink.sink_transactions import (
    SinkClients,
    SinkTransactions,
    was_fenced,
)
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_LOCK = "opening"
_SECONDS = 120.0
_PAUSE_SECONDS = 0.5
_FENCED_AT_ONCE = 4


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


def open_run(clients: SinkClients, place: Place) -> None:
    """Open the journal for a run; several tasks of the run may try at once.

    Raises:
        Superseded: another run has begun since.
        StreamsError: it could not be done in time.
    """
    deadline = clock.monotonic() + _SECONDS
    while True:
        try:
            lock, state = clients.claim(_LOCK)
            try:
                if not is_open(state, place.run_id):
                    _open(clients, lock, state, place)
            finally:
                lock.close()
        except TaskMigrated as error:
            # Another task of the run is at it, and was a moment later: the next claim finds it
            # done, or does it.
            if not was_fenced(error) or clock.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return


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
    announcement = [clients.place.record(*run_record(run))]
    announcement.append(clients.place.record(*claim_record(_LOCK, claim)))
    lock.send(announcement)
    lock.finish()
    ids = [id_ for id_ in clients.read_to_claim(_LOCK, claim).claims if id_ != _LOCK]
    with ThreadPoolExecutor(_FENCED_AT_ONCE) as threads:
        list(threads.map(lambda id_: _fence(clients, id_), ids))
    lock.write_record(clients.place.record(*run_record(replace(run, is_open=True))))


def _fence(clients: SinkClients, id_: str) -> None:
    transactions = SinkTransactions(clients.config, clients.place, id_)
    transactions.fence_others()
    transactions.close()

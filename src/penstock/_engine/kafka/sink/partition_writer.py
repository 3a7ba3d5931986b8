"""Writes the rows of one partition of a batch, once over all attempts.

The order: (1) fence other attempts, (2) claim the id and read the journal up to the claim, (3) open
the run if it is its first batch, (4) write rows and the journal's record in one transaction. An
attempt that is fenced in the middle, as by a speculative copy, takes its other rows from Spark and
waits for what the copy writes: the same, or it fails.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from penstock import _clock as clock
from penstock._engine.kafka.client.client_errors import RecordsRefused, crash_point
from penstock._engine.kafka.sink.contents import Contents
from penstock._engine.kafka.sink.journal import JournalPlace
from penstock._engine.kafka.sink.journal_state import (
    JournalState,
    Written,
    cut_record,
    written_record,
)
from penstock._engine.kafka.sink.opening import OpeningWatch, is_open, open_run
from penstock._engine.kafka.sink.replay import (
    Compare,
    Place,
    Withhold,
    Write,
    agree,
    check,
    decide,
)
from penstock._engine.kafka.sink.sink_transactions import (
    SinkClients,
    SinkTransactions,
    clients_of,
    was_fenced,
)
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_OBSERVER = "observer"
_OTHER_ATTEMPT_SECONDS = 120.0
_LOOK_AGAIN_SECONDS = 1.0
_DRAIN_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Report:
    """What a partition has done with its rows; travels to the driver."""

    place: Place
    contents: Contents
    is_withheld: bool = False
    """Nothing was written: all partitions have to be compared first."""


def write_partition(
    config: StreamsConfig, journal: JournalPlace, place: Place, chunks: Iterator[list[Output]]
) -> Report:
    """Write the rows of a partition, unless an earlier attempt has.

    Raises:
        StreamsError: they could not be written, or must not be.
    """
    first = next((chunk for chunk in chunks if chunk), None)
    if first is None:
        return Report(place, Contents())
    rows = chain([first], chunks)
    clients = clients_of(config, journal)
    transactions, state = _claim(clients, place)
    crash_point("sink-after-journal")
    decision = decide(state, place)
    try:
        if isinstance(decision, Write):
            contents = _write(clients, transactions, place, decision, rows)
        else:
            contents = _counted(Contents(), rows)
            if isinstance(decision, Compare):
                check(contents, decision.written, place)
            clients.keep(transactions)
    except BaseException:
        transactions.close()
        raise
    return Report(place, contents, isinstance(decision, Withhold))


def agree_on_cut(config: StreamsConfig, journal: JournalPlace, reports: list[Report]) -> None:
    """Compare the partitions of a batch that was half written and is withheld; note in the journal
    that they are as they were, and ask for another start.

    Raises:
        StreamsError: always: the batch is not complete.
    """
    place = reports[0].place
    parts = {report.place.part: report.contents for report in reports}
    clients = SinkClients(config, journal)
    try:
        transactions, state = clients.claim(_OBSERVER, place.run_id)
        cut = agree(state, place, parts)
        transactions.write_record(journal.record(*cut_record(cut)))
        transactions.close()
    finally:
        clients.close()
    msg = (
        f"batch {place.batch} of query {place.query} was written in part when an earlier run "
        "ended; its partitions have now been compared and are as they were: start the query "
        "again, it writes the rest; penstock.spark.write_stream needs no second start"
    )
    raise StreamsError(msg)


def _claim(clients: SinkClients, place: Place) -> tuple[SinkTransactions, JournalState]:
    """Return the producer of a partition, of a run that is open."""
    id_ = str(place.part)
    deadline = clock.monotonic() + _OTHER_ATTEMPT_SECONDS
    watch = OpeningWatch()
    while True:
        try:
            transactions, state = clients.claim(id_, place.run_id)
            # A batch job has a journal, ids and a run of its own.
            if clients.place.is_shared or is_open(state, place.run_id):
                return transactions, state
            if watch.is_another_at_it(state, place.run_id):
                # It may have many ids to fence: the time begins when it ends.
                deadline = clock.monotonic() + _OTHER_ATTEMPT_SECONDS
                clients.keep(transactions)
                time.sleep(_LOOK_AGAIN_SECONDS)
            else:
                transactions.close()
                open_run(clients, place)
        except StreamsError as error:
            # No row is taken yet: another attempt that is gone by now is no failure.
            if not was_fenced(error) or clock.monotonic() >= deadline:
                raise
            time.sleep(_LOOK_AGAIN_SECONDS)


def _write(
    clients: SinkClients,
    transactions: SinkTransactions,
    place: Place,
    decision: Write,
    rows: Iterator[list[Output]],
) -> Contents:
    contents = Contents()
    try:
        for chunk in rows:
            contents = contents.with_outputs(chunk)
            transactions.send(chunk)
            crash_point("sink-writing")
        if decision.expected is not None:
            check(contents, decision.expected, place)
        transactions.drain(_DRAIN_SECONDS)
        written = Written(place.run_id, place.batch, contents, place.topic_partition_count)
        record = clients.place.record(*written_record(place.part, written))
        transactions.send([record])
        crash_point("sink-before-commit")
        transactions.finish()
        crash_point("sink-after-commit")
    except StreamsError as error:
        if was_fenced(error):
            return _wait_for_other_attempt(clients, place, _counted(contents, rows), error)
        if isinstance(error, RecordsRefused):
            raise StreamsError(str(error)) from error
        raise
    clients.keep(transactions)
    return contents


def _counted(contents: Contents, rows: Iterator[list[Output]]) -> Contents:
    for chunk in rows:
        contents = contents.with_outputs(chunk)
    return contents


def _wait_for_other_attempt(
    clients: SinkClients, place: Place, contents: Contents, fenced: StreamsError
) -> Contents:
    """Return what another attempt has written instead of this one, once it is committed. Spark ends
    this one as soon as it knows of the other's success.
    """
    deadline = clock.monotonic() + _OTHER_ATTEMPT_SECONDS
    observer = f"{_OBSERVER}-{place.part}"
    while clock.monotonic() < deadline:
        transactions, state = clients.claim(observer, place.run_id)
        clients.keep(transactions)
        is_open(state, place.run_id)
        written = state.written.get(place.part)
        if written is not None and written.batch == place.batch:
            check(contents, written.contents, place)
            return contents
        time.sleep(_LOOK_AGAIN_SECONDS)
    msg = (
        f"{place.shown} in batch {place.batch} was not written: another attempt has "
        "taken over and has not written it either, or the transaction was open for longer than "
        f"'producer.transaction.timeout.ms'; {fenced}"
    )
    raise StreamsError(msg) from fenced

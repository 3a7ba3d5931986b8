"""The producer of one partition of a sink, under the transactional id of query and partition.

It claims its id in the journal before each batch: a transaction of its own, which fails if another
attempt has fenced the producer meanwhile, and up to which the journal is then read. So a producer
can be kept between batches, and one that was fenced is replaced.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from contextlib import suppress

from confluent_kafka import KafkaException

from penstock import _clock as clock
from penstock._engine.kafka.client.client_errors import (
    BrokerAway,
    CommitPostponed,
    CommitUnanswered,
    RecordsRefused,
    TaskMigrated,
    code_of,
    crash_point,
    is_migration,
)
from penstock._engine.kafka.client.clients import producer_settings
from penstock._engine.kafka.sink.journal import JournalPlace, JournalReader, make_journal
from penstock._engine.kafka.sink.journal_state import JournalState, claim_record
from penstock._engine.kafka.worker.transactions import ExactlyOnce
from penstock._engine.runtime.records import Output
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_PREPARE_SECONDS = 120.0
_CONNECT_SECONDS = 5.0
_PRODUCERS_KEPT = 4
_COMMIT_ATTEMPTS = 5

_log = logging.getLogger(__name__)
_client_log = logging.getLogger(f"{__name__}.client")
# Spark gives a partition to another process at any batch: the producer of the one before is fenced
# and replaced, which is no news.
_client_log.addFilter(lambda record: "fenced by" not in record.getMessage())


class SinkTransactions(ExactlyOnce):
    """Transactions under one id; `id_` is its part behind the query's."""

    def __init__(self, config: StreamsConfig, place: JournalPlace, id_: str) -> None:
        super().__init__({**producer_settings(config, id_), "logger": _client_log})
        self.id, self._journal = id_, place.topic

    def fence_others(self) -> None:
        """Fence earlier producers of the id, and end their open transaction."""
        # A client that has no connection yet asks for its coordinator again half a second later.
        with suppress(KafkaException):
            self._producer.list_topics(self._journal, _CONNECT_SECONDS)
        deadline = clock.monotonic() + _PREPARE_SECONDS
        while True:
            try:
                self.prepare()
            except CommitPostponed:
                self._producer.poll(0)  # shows what the client says of its broker
                if clock.monotonic() >= deadline:
                    raise
            else:
                return

    def write_record(self, output: Output) -> None:
        """Write one record in a transaction of its own."""
        self.send([output])
        self.finish()

    def drain(self, seconds: float) -> None:
        """Wait until all that was sent is written; what goes wrong, the commit raises."""
        deadline = clock.monotonic() + seconds
        while not self.flush():
            if self._failures or clock.monotonic() >= deadline:
                return

    def finish(self) -> None:
        """Commit; one that a busy broker does not answer in time goes on at the next call."""
        try:
            self._commit()
        except StreamsError as error:
            cause = error.__cause__
            if isinstance(cause, KafkaException) and is_migration(code_of(cause)):
                self._open = False  # the producer that has fenced this one has ended it
            raise

    def _commit(self) -> None:
        for _ in range(_COMMIT_ATTEMPTS - 1):
            try:
                self.commit({}, None)
            except CommitUnanswered as error:
                _log.warning("transactional.id=%s is not committed yet: %s", self.id, error)
            else:
                return
        self.commit({}, None)


class SinkClients:
    """The clients of a query's sink in this process."""

    def __init__(self, config: StreamsConfig, place: JournalPlace) -> None:
        self.config, self.place = config, place
        self._reader: JournalReader | None = None
        self._kept: OrderedDict[str, SinkTransactions] = OrderedDict()

    def claim(self, id_: str, run_id: str) -> tuple[SinkTransactions, JournalState]:
        """Return a producer that alone has its id, and what the journal says after that.
        `run_id` is the run that claims it.

        Raises:
            TaskMigrated: another attempt was quicker.
            StreamsError: the broker does not answer, or refuses.
        """
        kept = self._kept.pop(id_, None)
        if kept is not None:
            try:
                return kept, self._read_after_claim(kept, run_id)
            except StreamsError:
                kept.close()  # fenced, or forgotten by the broker
        crash_point("sink-before-init")
        made = SinkTransactions(self.config, self.place, id_)
        made.fence_others()
        crash_point("sink-after-init")
        return made, self._read_after_claim(made, run_id)

    def keep(self, transactions: SinkTransactions) -> None:
        """Keep a producer for the next batch."""
        self._kept[transactions.id] = transactions
        while len(self._kept) > _PRODUCERS_KEPT:
            self._kept.popitem(last=False)[1].close()

    def read_to_claim(self, id_: str, claim: str, run_id: str) -> JournalState:
        """Return what the journal says, read at least to a claim of a run."""
        if self._reader is None:
            self._reader = JournalReader(self.config, self.place)
        reader = self._reader

        def fence_killed_writers() -> None:
            for killed in reader.ids_in_the_way(run_id):
                _log.warning(
                    "transactional.id=%s of an earlier run may have a transaction open in "
                    "journal=%s: it is fenced",
                    killed,
                    self.place.topic,
                )
                self.fence(killed)

        return reader.read_to_claim(id_, claim, fence_killed_writers)

    def fence(self, id_: str) -> None:
        """Fence all producers of an id, and end their open transaction."""
        transactions = SinkTransactions(self.config, self.place, id_)
        transactions.fence_others()
        transactions.close()

    def close(self) -> None:
        """Close all of them."""
        for transactions in self._kept.values():
            transactions.close()
        self._kept.clear()
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _read_after_claim(self, transactions: SinkTransactions, run_id: str) -> JournalState:
        claim = clock.new_id()
        record = self.place.record(*claim_record(transactions.id, claim, run_id))
        transactions.write_record(record)
        return self.read_to_claim(transactions.id, claim, run_id)


_clients: dict[str, SinkClients] = {}


def clients_of(config: StreamsConfig, place: JournalPlace) -> SinkClients:
    """Return the clients of a query in this process, which last as long as it: those of one query
    at a time. The journal is made if it is not there.
    """
    kept = _clients.get(place.query)
    if kept is not None and kept.config.given() == config.given():
        return kept
    close_clients()
    if not place.is_shared:
        make_journal(config, place)
    made = _clients[place.query] = SinkClients(config, place)
    return made


def close_clients() -> None:
    """Close the clients that this process keeps."""
    for clients in _clients.values():
        clients.close()
    _clients.clear()


def was_fenced(error: StreamsError) -> bool:
    """Yes if another producer has the transactional id now."""
    return isinstance(error, TaskMigrated) and not isinstance(error, BrokerAway | RecordsRefused)

"""Effects outside Kafka, exactly once: writes to a database, and messages from there to a topic.

Kafka's transactions end where Kafka ends. A worker that dies after a write to a database and before
its commit reads the record again and would write again. Two things help:

`write_once` remembers, in the same database transaction as the write, which record it was for: its
topic, partition and offset. A record that comes again is known and not written again.

`Outbox` is a table of messages, written in the same database transaction as what they tell of;
`OutboxRelay` publishes them to their topics. None is lost, and none is published of what was rolled
back. A relay that dies may publish a message again, with the same header `penstock-outbox-id`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from penstock._clock import monotonic
from penstock.database import Connection, ConnectionLostError, Database, Transaction
from penstock.errors import StreamsError
from penstock.processor import (
    FixedKeyProcessor,
    FixedKeyProcessorContext,
    FixedKeyProcessorSupplier,
    MarksRecords,
)
from penstock.record import FixedKeyRecord
from penstock.settings import StreamsConfig
from penstock.settings.keys import over_defaults

if TYPE_CHECKING:
    from penstock._engine.kafka.client.publisher import Deliveries, Failure, Publisher

__all__ = [
    "ID_HEADER",
    "Outbox",
    "OutboxRelay",
    "RefusedMessageError",
    "forget_writes",
    "write_once",
]

K = TypeVar("K")
V = TypeVar("V")

Write: TypeAlias = Callable[[Transaction, FixedKeyRecord[K, V]], object]

ID_HEADER = "penstock-outbox-id"
"""The header of a published message that identifies it, as decimal digits.

>>> from penstock.outbox import ID_HEADER
>>> ID_HEADER
'penstock-outbox-id'
"""

_log = logging.getLogger(__name__)

_WRITES = """
CREATE TABLE IF NOT EXISTS penstock_writes (
    application_id TEXT NOT NULL,
    name TEXT NOT NULL,
    topic TEXT NOT NULL,
    topic_partition INTEGER NOT NULL,
    topic_offset BIGINT NOT NULL,
    write_number INTEGER NOT NULL,
    PRIMARY KEY (application_id, name, topic, topic_partition, topic_offset, write_number)
)
"""
_CLAIM = """
INSERT INTO penstock_writes VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
RETURNING 1
"""
_FORGET = """
DELETE FROM penstock_writes
WHERE application_id = ? AND topic = ? AND topic_partition = ? AND topic_offset < ?
"""

_PAUSES_SECONDS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""How long to wait before each further attempt when the database is gone."""

_BATCH = 500
# A batch that is refused costs more than that: what arrives behind it is sent twice.
_SHARING_SECONDS = 600.0
_RELAYING = 0x6F7574626F78  # "outbox": the lock of the relay that works


def write_once(
    database: Database, write: Write[K, V], *, name: str
) -> FixedKeyProcessorSupplier[K, V, V]:
    """Return a processor that calls `write(transaction, record)` once for each record, whatever
    crashes, and passes the record on: `orders.process_values(write_once(database, save,
    name="orders"))`.

    All that `write` does in the transaction is committed together with the memory of the record's
    topic, partition and offset, before the record goes on. `name` tells several of them in one
    application apart, and must stay as it is. A database that is gone is waited for, 14 s in all.
    If `write` catches the error of a statement, PostgreSQL commits nothing, and this raises: see
    `Connection.transaction`.

    It belongs behind a topic and verbs that look at one record at a time: behind an aggregate or
    `suppress` what comes again after a crash may not be what came before. If a topic is deleted and
    made again, its offsets begin anew: call `forget_writes` or choose another name. A bounded run
    refuses it for rows without partitions and offsets of their own, which it would number itself.

    >>> from penstock.database import Database
    >>> from penstock.outbox import write_once
    >>> def save(transaction, record):
    ...     transaction.execute("INSERT INTO orders VALUES (?, ?)", (record.key, record.value))
    >>> shop = Database("sqlite:shop.db")
    >>> saved = orders.process_values(write_once(shop, save, name="orders"))
    """
    return partial(_WriteOnce, database, write, name)


def forget_writes(
    database: Database, application_id: str, topic: str, partition: int, before: int
) -> None:
    """Delete the memory of the records of a partition with offsets less than `before`.

    That is safe for offsets that the application has committed: it will not read them again.

    >>> from tempfile import TemporaryDirectory
    >>> from penstock.database import Database
    >>> from penstock.outbox import forget_writes, write_once
    >>> with TemporaryDirectory() as folder:
    ...     shop = Database(f"sqlite:{folder}/shop.db")
    ...     show(orders.process_values(write_once(shop, lambda *_: None, name="orders")))
    ...     forget_writes(shop, "shop", "orders", 0, before=7)
    [('ann', 5), ('bob', 2), ('ann', 3)]
    """
    connection = database.connect()
    try:
        with connection.transaction() as transaction:
            transaction.execute(_FORGET, (application_id, topic, partition, before))
    finally:
        connection.close()


class _WriteOnce(FixedKeyProcessor[K, V, V], MarksRecords):
    """Writes each record to a database and passes it on."""

    def __init__(self, database: Database, write: Write[K, V], name: str) -> None:
        self._database = database
        self._write = write
        self._name = name
        self.marks = (database.url, name)
        self._connection: Connection | None = None
        self._place: tuple[str, int, int] | None = None
        self._number = 0

    def init(self, context: FixedKeyProcessorContext[K, V]) -> None:
        super().init(context)
        self._database.create_tables(_WRITES)

    def process(self, record: FixedKeyRecord[K, V]) -> None:
        mark = self._mark()
        for pause_seconds in (*_PAUSES_SECONDS, None):
            try:
                self._write_unless_marked(mark, record)
                break
            except ConnectionLostError as error:
                self._disconnect()
                if pause_seconds is None:
                    raise
                # The mark says whether the lost transaction was committed.
                _log.warning("write=%s waits %s s: %s", self._name, pause_seconds, error)
                time.sleep(pause_seconds)
        self.context.forward(record)

    def close(self) -> None:
        self._disconnect()

    def _write_unless_marked(self, mark: tuple[Any, ...], record: FixedKeyRecord[K, V]) -> None:
        if self._connection is None:
            self._connection = self._database.connect()
        with self._connection.transaction() as transaction:
            # Of two workers with the same record the second waits here until the first is done.
            if transaction.execute(_CLAIM, mark):
                self._write(transaction, record)

    def _mark(self) -> tuple[Any, ...]:
        """Return the id of this write: a record that was made into several has several."""
        topic, partition, offset = self.context.record_metadata
        if topic is None:
            msg = (
                f"write_once(name={self._name!r}) must be given records that were read from a "
                "topic; got one that a timer has made, which has no offset to know it by; write "
                "it to a topic first and read it from there"
            )
            raise StreamsError(msg)
        place = (topic, partition, offset)
        self._number = self._number + 1 if place == self._place else 0
        self._place = place
        return (self.context.application_id, self._name, *place, self._number)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class RefusedMessageError(StreamsError):
    """Kafka refuses a message of an outbox, now and later: it is too large, or its topic is not
    there. `message_id` is its number, for `Outbox.set_aside`.

    >>> from penstock.outbox import RefusedMessageError
    >>> RefusedMessageError("too large", message_id=7).message_id
    7
    """

    def __init__(self, message: str, *, message_id: int) -> None:
        super().__init__(message)
        self.message_id = message_id

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), message_id=self.message_id), self.args


class Outbox:
    """A table of messages to be published; `create(database)` makes it.

    >>> from penstock.database import Database
    >>> from penstock.outbox import Outbox
    >>> database = Database("sqlite::memory:")
    >>> outbox = Outbox("shop_outbox")
    >>> connection = database.connect()
    >>> with connection.transaction() as transaction:
    ...     _ = transaction.execute(outbox.definition(database))
    ...     outbox.add(transaction, "shipments", b"order-7", b"2 nails")
    ...     outbox.waiting(transaction)
    1
    >>> connection.close()
    """

    def __init__(self, table: str = "penstock_outbox") -> None:
        if not table.isidentifier():
            msg = f"an outbox's table must have a plain name, as in 'shop_outbox'; got {table!r}"
            raise StreamsError(msg)
        self.table = table

    def create(self, database: Database) -> None:
        """Make the table, if it is not there.

        >>> from tempfile import TemporaryDirectory
        >>> from penstock.database import Database
        >>> from penstock.outbox import Outbox
        >>> with TemporaryDirectory() as folder:
        ...     Outbox().create(Database(f"sqlite:{folder}/shop.db"))
        """
        index = (
            f"CREATE INDEX IF NOT EXISTS {self.table}_waiting ON {self.table} (id) "
            "WHERE NOT published"
        )
        database.create_tables(self.definition(database), index)

    def definition(self, database: Database) -> str:
        """Return the statement that makes the table, for those who make tables in their own way.

        >>> from penstock.database import Database
        >>> from penstock.outbox import Outbox
        >>> Outbox("shop_outbox").definition(Database("sqlite::memory:"))[:38]
        'CREATE TABLE IF NOT EXISTS shop_outbox'
        """
        number, data = "INTEGER PRIMARY KEY AUTOINCREMENT", "BLOB"
        if database.is_postgresql:
            number, data = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "BYTEA"
        return (
            f"CREATE TABLE IF NOT EXISTS {self.table} (id {number}, topic TEXT NOT NULL, "
            f"message_key {data}, message_value {data}, published BOOLEAN NOT NULL DEFAULT FALSE)"
        )

    def add(
        self, transaction: Transaction, topic: str, key: bytes | None, value: bytes | None
    ) -> None:
        """Have a message published, if and when the transaction is committed.

        >>> from tempfile import TemporaryDirectory
        >>> from penstock.database import Database
        >>> from penstock.outbox import Outbox
        >>> with TemporaryDirectory() as folder:
        ...     shop, outbox = Database(f"sqlite:{folder}/shop.db"), Outbox()
        ...     outbox.create(shop)
        ...     connection = shop.connect()
        ...     with connection.transaction() as transaction:
        ...         outbox.add(transaction, "shipments", b"order-7", b"2 nails")
        ...     connection.close()
        ...     shop.read("SELECT topic FROM penstock_outbox")
        [('shipments',)]
        """
        transaction.execute(
            f"INSERT INTO {self.table} (topic, message_key, message_value) VALUES (?, ?, ?)",
            (topic, key, value),
        )

    def waiting(self, transaction: Transaction) -> int:
        """Count the messages that have not been published.

        >>> from tempfile import TemporaryDirectory
        >>> from penstock.database import Database
        >>> from penstock.outbox import Outbox
        >>> with TemporaryDirectory() as folder:
        ...     shop, outbox = Database(f"sqlite:{folder}/shop.db"), Outbox()
        ...     outbox.create(shop)
        ...     connection = shop.connect()
        ...     with connection.transaction() as transaction:
        ...         outbox.waiting(transaction)
        ...     connection.close()
        0
        """
        ((count,),) = transaction.execute(f"SELECT count(*) FROM {self.table} WHERE NOT published")
        return int(count)

    def set_aside(self, transaction: Transaction, message_id: int) -> None:
        """Take a message that Kafka refuses out of the way: it is moved to the table
        `<table>_set_aside`, from which nothing is published.

        Raises:
            StreamsError: no message of this number waits.

        >>> from tempfile import TemporaryDirectory
        >>> from penstock.database import Database
        >>> from penstock.outbox import Outbox
        >>> with TemporaryDirectory() as folder:
        ...     shop, outbox = Database(f"sqlite:{folder}/shop.db"), Outbox()
        ...     outbox.create(shop)
        ...     connection = shop.connect()
        ...     with connection.transaction() as transaction:
        ...         outbox.add(transaction, "shipments", b"order-7", b"2 nails")
        ...         outbox.set_aside(transaction, 1)
        ...     connection.close()
        ...     shop.read("SELECT id, topic FROM penstock_outbox_set_aside")
        [(1, 'shipments')]
        """
        aside = f"{self.table}_set_aside"
        columns = "id, topic, message_key, message_value"
        found = f"FROM {self.table} WHERE id = ? AND NOT published"
        transaction.execute(
            f"CREATE TABLE IF NOT EXISTS {aside} AS SELECT {columns} FROM {self.table} WHERE 1 = 0"
        )
        transaction.execute(f"INSERT INTO {aside} SELECT {columns} {found}", (message_id,))
        if not transaction.execute(f"DELETE {found} RETURNING 1", (message_id,)):
            msg = f"no message {message_id} waits in outbox {self.table!r}: it cannot be set aside"
            raise StreamsError(msg)


class OutboxRelay:
    """Publishes the messages of an outbox, in the order in which they were added.

    ```python
    with OutboxRelay(database, Outbox(), {"bootstrap.servers": "kafka:9092"}) as relay:
        while True:
            if not relay.publish():
                time.sleep(0.1)
    ```

    A message is marked as published once Kafka has it: none is lost. A relay that dies in between
    publishes it again. A message that Kafka refuses is named by a RefusedMessageError, and those
    before it are marked; it stays in the way until the cause is gone or it is set aside. Those
    behind it are published after it, some of them again: they may be of the same key.

    Messages of transactions that overlap may be published in another order than their numbers;
    those of one key, which one task writes, are not. Run one relay for an outbox; in
    PostgreSQL a second one waits until the first is gone.

    >>> from penstock.database import Database
    >>> from penstock.outbox import Outbox, OutboxRelay
    >>> kafka = {"bootstrap.servers": "kafka:9092"}
    >>> with OutboxRelay(Database("sqlite:shop.db"), Outbox(), kafka) as relay:
    ...     pass  # relay.publish() again and again
    """

    def __init__(
        self, database: Database, outbox: Outbox, config: StreamsConfig | Mapping[str, Any]
    ) -> None:
        settings = config.given() if isinstance(config, StreamsConfig) else config
        named = over_defaults({"application.id": f"{outbox.table}-relay"}, settings)
        # Its messages are not part of an application's transactions.
        guarantee = {"processing.guarantee": "at_least_once"}
        self._config = StreamsConfig({**StreamsConfig(named).given(), **guarantee})
        self._database = database
        self._outbox = outbox
        self._connection: Connection | None = None
        self._publisher: Publisher | None = None
        self._one_by_one = False
        self._refused: int | None = None
        self._shares_at = 0.0

    def publish(self, limit: int = _BATCH) -> int:
        """Publish the messages that wait, `limit` at most; return how many they were.

        Raises:
            ConnectionLostError: the database is gone; call again later.
            RefusedMessageError: Kafka refuses a message; those before it are marked as published.
            StreamsError: Kafka did not answer; call again later, those that arrived before the
                first that did not are marked.
        """
        try:
            return self._publish(limit)
        except ConnectionLostError:
            self._disconnect()
            raise

    def close(self) -> None:
        """Release database and Kafka."""
        self._disconnect()
        self._publisher = None

    def __enter__(self) -> OutboxRelay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _publish(self, limit: int) -> int:
        connection = self._connected()
        messages = connection.execute(
            f"SELECT id, topic, message_key, message_value FROM {self._outbox.table} "
            "WHERE NOT published ORDER BY id LIMIT ?",
            (limit,),
        )
        if not messages:
            return 0
        # What was refused is out of the way or, if all were taken one by one, the cause may be.
        waits = self._refused == messages[0][0] if self._refused else monotonic() < self._shares_at
        if self._one_by_one and not waits:
            self._one_by_one, self._refused, self._publisher = False, None, None
        done = self._send(messages)
        # What arrived behind a failure is sent again: a key's last message must be its newest.
        end = min((one.number for one in done.failed), default=None)
        arrived = [number for number in done.arrived if end is None or number < end]
        # One by one: what a transaction that began earlier adds may have smaller numbers.
        with connection.transaction() as transaction:
            for number in arrived:
                transaction.execute(
                    f"UPDATE {self._outbox.table} SET published = TRUE WHERE id = ?", (number,)
                )
        if self._shares_a_refusal(done.failed, len(messages)):
            self._one_by_one, self._publisher = True, None
            self._shares_at = monotonic() + _SHARING_SECONDS
            return len(arrived) + self._publish(limit - len(arrived))
        if done.failed:
            raise self._explained(done.failed, {number: topic for number, topic, *_ in messages})
        return len(messages)

    def _shares_a_refusal(self, failed: list[Failure], sent: int) -> bool:
        """Return whether messages may have been refused for others of their batch, which Kafka
        refuses as a whole: one by one, the one that is the cause is told apart.
        """
        return sent > 1 and not self._one_by_one and any(one.is_of_batch for one in failed)

    def _explained(self, failed: list[Failure], topics: Mapping[int, str]) -> StreamsError:
        refused = [one for one in failed if one.is_refusal]
        first = min(refused or failed, key=lambda one: one.number)
        number, table = first.number, self._outbox.table
        what = f"message {number} of outbox {table!r}, for topic {topics.get(number)!r},"
        if len(refused) < len(failed):
            self._publisher = None  # it may be of no use any more, or send them late
        if not refused:
            more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
            return StreamsError(f"{what}{more} could not be published: {first.reason}")
        self._refused = number if self._one_by_one else None
        msg = (
            f"{what} was refused by Kafka: {first.reason}; remove the cause, or set it aside: "
            f"Outbox({table!r}).set_aside(transaction, {number})"
        )
        return RefusedMessageError(msg, message_id=number)

    def _send(self, messages: list[tuple[Any, ...]]) -> Deliveries:
        from penstock._engine.kafka.client.publisher import Publisher  # noqa: PLC0415 - loads the client

        if self._publisher is None:
            self._publisher = Publisher(self._config, one_by_one=self._one_by_one)
        for number, topic, key, value in messages:
            header = (ID_HEADER, str(number).encode())
            if not self._publisher.send(topic, key, value, [header], number):
                break  # those behind it wait, as they may be of the same key
        return self._publisher.flush()

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._database.connect()
            if self._database.is_postgresql:
                # Held until the connection ends, even if this process is killed.
                self._connection.execute(
                    "SELECT pg_advisory_lock(?, hashtext(?))",
                    (_RELAYING & 0x7FFFFFFF, self._outbox.table),
                )
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

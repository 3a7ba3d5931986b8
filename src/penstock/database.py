"""Databases outside Kafka: SQLite, which is Python's own, and PostgreSQL (`penstock[postgresql]`).

`penstock.outbox` writes to them exactly once. A `Database` is only an address, so that functions
that hold one can be sent to Spark's workers; its user connects.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from penstock.errors import ConfigError, StreamsError

__all__ = ["Connection", "ConnectionLostError", "Database", "Transaction"]

Row: TypeAlias = tuple[Any, ...]

_SQLITE_PREFIX = "sqlite:"
_POSTGRESQL_PREFIXES = ("postgresql://", "postgres://")
_LOCK_WAIT_SECONDS = 60.0
_IDLE = 0  # libpq's PQTRANS_IDLE: no transaction
_MAKING_TABLES = 0x70656E73746F636B  # "penstock": the lock of those who make tables


class ConnectionLostError(StreamsError):
    """The database does not answer, or ended the connection; another attempt may succeed.

    >>> from penstock.database import ConnectionLostError, Database
    >>> try:
    ...     Database("sqlite:/nowhere/shop.db").connect()
    ... except ConnectionLostError as error:
    ...     print(error)
    the database '/nowhere/shop.db' cannot be opened: unable to open database file; does its
     folder exist?
    """


class Database:
    """The address of a database: `Database("sqlite:orders.db")` or
    `Database("postgresql://ada:secret@db.example.org/shop")`.

    A file is meant from the folder of now: workers may have another.

    >>> from penstock.database import Database
    >>> database = Database("sqlite::memory:")
    >>> connection = database.connect()
    >>> with connection.transaction() as transaction:
    ...     transaction.execute("CREATE TABLE stock (item TEXT, count INTEGER)")
    ...     transaction.execute("INSERT INTO stock VALUES (?, ?)", ("nails", 12))
    ...     transaction.execute("SELECT count FROM stock WHERE item = ?", ("nails",))
    []
    []
    [(12,)]
    >>> connection.close()
    """

    def __init__(self, url: str) -> None:
        if not url.startswith((_SQLITE_PREFIX, *_POSTGRESQL_PREFIXES)):
            msg = (
                f"a database's address must begin with 'sqlite:' or 'postgresql://'; got "
                f"{_without_password(url)!r}; for a file write Database('sqlite:orders.db')"
            )
            raise ConfigError(msg)
        self.url = _absolute(url)

    @property
    def is_postgresql(self) -> bool:
        """Whether it is PostgreSQL; SQLite if not.

        >>> from penstock.database import Database
        >>> Database("postgresql://ann@localhost/shop").is_postgresql
        True
        """
        return not self.url.startswith(_SQLITE_PREFIX)

    def connect(self) -> Connection:
        """Open a connection, for one thread.

        Raises:
            ConfigError: the package that PostgreSQL needs is not installed.
            ConnectionLostError: there is no database, or none that lets us in.

        >>> from penstock.database import Database
        >>> connection = Database("sqlite::memory:").connect()
        >>> connection.execute("SELECT 1 + 1")
        [(2,)]
        >>> connection.close()
        """
        return _postgresql(self.url) if self.is_postgresql else _sqlite(self.url)

    def create_tables(self, *statements: str) -> None:
        """Execute `CREATE TABLE IF NOT EXISTS ...` and the like, one process at a time.

        >>> from tempfile import TemporaryDirectory
        >>> from penstock.database import Database
        >>> with TemporaryDirectory() as folder:
        ...     shop = Database(f"sqlite:{folder}/shop.db")
        ...     shop.create_tables("CREATE TABLE IF NOT EXISTS stock (item TEXT)")
        ...     shop.read("SELECT * FROM stock")
        []
        """
        connection = self.connect()
        try:
            with connection.transaction() as transaction:
                connection.lock_out_others(_MAKING_TABLES)
                for statement in statements:
                    transaction.execute(statement)
        finally:
            connection.close()

    def read(self, query: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Connect, execute one query, disconnect.

        >>> from penstock.database import Database
        >>> Database("sqlite::memory:").read("SELECT ? + ?", (1, 2))
        [(3,)]
        """
        connection = self.connect()
        try:
            with connection.transaction() as transaction:
                return transaction.execute(query, parameters)
        finally:
            connection.close()

    def __repr__(self) -> str:
        return f"Database({_without_password(self.url)!r})"


class Transaction(Protocol):
    """What can be done in a transaction.

    >>> from penstock.database import Database
    >>> connection = Database("sqlite::memory:").connect()
    >>> with connection.transaction() as transaction:
    ...     transaction.execute("SELECT 1 + 1")
    [(2,)]
    >>> connection.close()
    """

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Execute a statement and return its rows, none if it has none. Each `?` in it stands for a
        parameter, whatever the database.

        >>> from penstock.database import Database
        >>> connection = Database("sqlite::memory:").connect()
        >>> with connection.transaction() as transaction:
        ...     transaction.execute("SELECT ? || ?", ("a", "b"))
        [('ab',)]
        >>> connection.close()
        """


class Connection:
    """A connection to a database; got from `Database.connect`.

    >>> from penstock.database import Database
    >>> connection = Database("sqlite::memory:").connect()
    >>> with connection.transaction() as transaction:
    ...     transaction.execute("SELECT 1 + 1")
    [(2,)]
    >>> connection.close()
    """

    def __init__(self, driver: Any, *, is_postgresql: bool, lost: type[Exception]) -> None:
        self._driver = driver
        self._is_postgresql = is_postgresql
        self._lost = lost
        """What the driver raises when the database is gone."""

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Do all of the block in one transaction, or nothing if it raises.

        Raises:
            ConnectionLostError: the database went away. If that was at the very end, the
                transaction may have been committed or not.
            StreamsError: the database rolled it back instead, as PostgreSQL does if a statement
                failed, even one whose error the block has caught. For a statement that may fail use
                `ON CONFLICT` or a `SAVEPOINT`.

        >>> from penstock.database import Database
        >>> connection = Database("sqlite::memory:").connect()
        >>> with connection.transaction() as transaction:
        ...     transaction.execute("SELECT 1 + 1")
        [(2,)]
        >>> connection.close()
        """
        self.begin()
        try:
            yield self
        except BaseException:
            self._roll_back()
            raise
        self.commit()

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """See `Transaction.execute`."""
        return self._run(statement, parameters)[0]

    def begin(self) -> None:
        """Begin a transaction. SQLite has one writer at a time, who must say so at once."""
        self.execute("BEGIN" if self._is_postgresql else "BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit a transaction.

        Raises:
            StreamsError: it was rolled back instead.
        """
        if not self._is_postgresql:
            self.execute("COMMIT")  # which raises if there is nothing to commit
            return
        was_open = self._driver.info.transaction_status != _IDLE
        # No error, but an answer of its own: after a statement that failed it rolls back.
        answer = self._run("COMMIT")[1]
        if answer != "COMMIT" or not was_open:
            why = "a statement in it failed" if was_open else "it had been ended before"
            msg = (
                f"nothing of the transaction was committed: {why}; an error that is caught must "
                "be inside a SAVEPOINT, or be avoided with ON CONFLICT; a transaction is ended by "
                "its block, not by a statement"
            )
            raise StreamsError(msg)

    def lock_out_others(self, number: int) -> None:
        """Wait until no other transaction that did this is under way. SQLite has but one."""
        if self._is_postgresql:
            self.execute("SELECT pg_advisory_xact_lock(?)", (number,))

    def close(self) -> None:
        """Disconnect; what is not committed is undone."""
        self._driver.close()

    def _run(self, statement: str, parameters: Sequence[Any] = ()) -> tuple[list[Row], str | None]:
        """Execute a statement and return its rows and PostgreSQL's answer."""
        if self._is_postgresql:
            statement = statement.replace("%", "%%").replace("?", "%s")
        try:
            cursor = self._driver.execute(statement, parameters)
            rows = [] if cursor.description is None else cursor.fetchall()
        except self._lost as error:
            msg = f"the database is gone: {error}"
            raise ConnectionLostError(msg) from error
        return rows, getattr(cursor, "statusmessage", None)

    def _roll_back(self) -> None:
        with suppress(ConnectionLostError):  # then the database has done it
            self.execute("ROLLBACK")


def _sqlite(url: str) -> Connection:
    path = url.removeprefix(_SQLITE_PREFIX)
    try:
        driver = sqlite3.connect(
            path, timeout=_LOCK_WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
        # Readers and the writer do not wait for each other; what is committed is on the disk.
        driver.execute("PRAGMA journal_mode = WAL")
        driver.execute("PRAGMA synchronous = FULL")
    except sqlite3.OperationalError as error:
        msg = f"the database {path!r} cannot be opened: {error}; does its folder exist?"
        raise ConnectionLostError(msg) from error
    return Connection(driver, is_postgresql=False, lost=sqlite3.InterfaceError)


def _postgresql(url: str) -> Connection:
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = (
            "PostgreSQL needs the package psycopg; install it with: pip install "
            "'penstock[postgresql]'"
        )
        raise ConfigError(msg) from error
    try:
        driver = psycopg.connect(url, autocommit=True)
    except psycopg.OperationalError as error:
        msg = f"no connection to {_without_password(url)}: {error}"
        raise ConnectionLostError(msg) from error
    return Connection(driver, is_postgresql=True, lost=psycopg.OperationalError)


def _absolute(url: str) -> str:
    path = url.removeprefix(_SQLITE_PREFIX)
    is_file = path != url and path and not path.startswith(":")
    return f"{_SQLITE_PREFIX}{Path(path).absolute()}" if is_file else url


def _without_password(url: str) -> str:
    """Return an address that can be shown."""
    hidden = re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", url)
    return re.sub(r"(password=)[^&]*", r"\1***", hidden)

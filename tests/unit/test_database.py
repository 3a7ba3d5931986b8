"""Databases of both kinds: transactions, parameters, lost connections, addresses."""

from __future__ import annotations

import os
import pickle
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from penstock.database import ConnectionLostError, Database
from penstock.errors import ConfigError, StreamsError


def test_a_transaction_is_all_or_nothing(database: Database) -> None:
    database.create_tables("CREATE TABLE notes (text TEXT)")
    connection = database.connect()
    with connection.transaction() as transaction:
        transaction.execute("INSERT INTO notes VALUES (?)", ("kept",))
    with suppress(ZeroDivisionError), connection.transaction() as transaction:
        transaction.execute("INSERT INTO notes VALUES (?)", ("undone",))
        _ = 1 / 0
    connection.close()
    assert database.read("SELECT text FROM notes") == [("kept",)]


def test_a_commit_that_the_database_answers_with_a_rollback_is_no_success(
    database: Database,
) -> None:
    """PostgreSQL rolls back after a failed statement, without an error; SQLite commits the rest."""
    database.create_tables(
        "CREATE TABLE notes (text TEXT UNIQUE)", "INSERT INTO notes VALUES ('a')"
    )
    connection = database.connect()

    def insert_twice() -> None:
        with connection.transaction() as transaction:
            transaction.execute("INSERT INTO notes VALUES ('b')")
            with suppress(Exception):  # of psycopg or sqlite3
                transaction.execute("INSERT INTO notes VALUES ('a')")

    if database.is_postgresql:
        with pytest.raises(StreamsError, match="was committed: a statement in it failed"):
            insert_twice()
    else:
        insert_twice()
    found = database.read("SELECT text FROM notes ORDER BY text")
    assert found == ([("a",)] if database.is_postgresql else [("a",), ("b",)])
    with connection.transaction() as transaction:  # the connection is still good
        transaction.execute("INSERT INTO notes VALUES ('c')")
    connection.close()
    assert ("c",) in database.read("SELECT text FROM notes")


def test_a_transaction_that_a_statement_has_ended_is_no_success(database: Database) -> None:
    database.create_tables("CREATE TABLE notes (text TEXT)")
    connection = database.connect()
    expected = "it had been ended before" if database.is_postgresql else "no transaction is active"
    connection.begin()
    connection.execute("INSERT INTO notes VALUES ('a')")
    connection.execute("ROLLBACK")
    with pytest.raises(Exception, match=expected):
        connection.commit()
    connection.close()


def test_a_connection_that_ends_undoes_what_was_not_committed(database: Database) -> None:
    database.create_tables("CREATE TABLE notes (text TEXT)")
    connection = database.connect()
    connection.begin()
    connection.execute("INSERT INTO notes VALUES ('lost')")
    connection.close()
    assert database.read("SELECT count(*) FROM notes") == [(0,)]


def test_question_marks_are_parameters_and_percent_signs_are_themselves(
    database: Database,
) -> None:
    assert database.read("SELECT ?, '100%', ?", ("a", b"\x00")) == [("a", "100%", b"\x00")]


def test_many_may_create_the_same_tables_at_once(database: Database) -> None:
    failures = []

    def create() -> None:
        try:
            database.create_tables("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY)")
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.slow
def test_a_connection_that_the_server_ends_is_lost(postgresql: str) -> None:
    database = Database(postgresql)
    connection = database.connect()
    ((process,),) = connection.execute("SELECT pg_backend_pid()")
    database.read("SELECT pg_terminate_backend(?)", (process,))
    with pytest.raises(ConnectionLostError, match="the database is gone"):
        connection.execute("SELECT 1")
    connection.close()


@pytest.mark.slow
def test_a_server_that_is_not_there_is_named(postgresql: str, tmp_path: Path) -> None:
    del postgresql  # where there is no server, there may be no client
    with pytest.raises(ConnectionLostError, match=r"no connection to postgresql:///shop\?"):
        Database(f"postgresql:///shop?host={tmp_path}&password=secret").connect()


def test_a_file_that_cannot_be_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ConnectionLostError, match="does its folder exist"):
        Database(f"sqlite:{tmp_path / 'nowhere' / 'orders.db'}").connect()


def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(ConfigError, match="must begin with 'sqlite:' or 'postgresql://'"):
        Database("mysql://ada:secret@localhost/shop")


def test_passwords_are_not_shown() -> None:
    database = Database("postgresql://ada:secret@localhost/shop")
    assert repr(database) == "Database('postgresql://ada:***@localhost/shop')"
    assert "secret" not in repr(Database("postgresql:///shop?user=ada&password=secret&port=1"))
    with pytest.raises(ConfigError) as refused:
        Database("mysql://ada:secret@localhost/shop")
    assert "secret" not in str(refused.value)


def test_a_file_is_meant_from_the_folder_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    database = pickle.loads(pickle.dumps(Database("sqlite:orders.db")))
    monkeypatch.chdir(os.sep)
    database.create_tables("CREATE TABLE notes (text TEXT)")
    assert (tmp_path / "orders.db").exists()

"""The lock of a data directory: one holder at a time, which says where its broker listens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock._engine.kafka.local_broker import directory_lock
from penstock._engine.kafka.local_broker.directory_lock import BrokerError, DirectoryInUseError

SERVERS = "127.0.0.1:9092"


def test_a_directory_has_one_holder_at_a_time(tmp_path: Path) -> None:
    lock = directory_lock.take(tmp_path)
    with pytest.raises(DirectoryInUseError, match="another broker, which is just starting or"):
        directory_lock.take(tmp_path)
    os.close(lock)
    os.close(directory_lock.take(tmp_path))


def test_the_holder_says_where_its_broker_listens(tmp_path: Path) -> None:
    lock = directory_lock.take(tmp_path)
    directory_lock.announce(tmp_path, SERVERS)
    with pytest.raises(DirectoryInUseError) as caught:
        directory_lock.take(tmp_path)
    os.close(lock)
    assert caught.value.bootstrap_servers == SERVERS
    assert f"the broker at {SERVERS}, started by process {os.getpid()}; stop" in str(caught.value)


def test_what_is_taken_back_is_said_no_more(tmp_path: Path) -> None:
    directory_lock.take_back(tmp_path, directory_lock.announce(tmp_path, SERVERS))
    assert (tmp_path / "broker.lock").read_text() == ""


def test_what_another_broker_says_is_not_taken_back(tmp_path: Path) -> None:
    announced = directory_lock.announce(tmp_path, SERVERS)
    (tmp_path / "broker.lock").write_text("127.0.0.1:1 1\n")
    directory_lock.take_back(tmp_path, announced)
    assert (tmp_path / "broker.lock").read_text() == "127.0.0.1:1 1\n"


def test_a_directory_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BrokerError, match=r"cannot be used \(Not a directory\); use another one"):
        directory_lock.take(tmp_path / "file" / "data")

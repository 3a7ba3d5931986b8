"""Damaged stores are set aside if they can be rebuilt; nothing else that fails is damage."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree

import pytest

from penstock._engine.runtime.stores.damaged_stores import DamagedStores
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.files.directory import StateDirectory, TaskDirectory
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.errors import StateCorruptedError, StateError, StateLockedError, StreamsError

ROWS = {f"key-{n:05}".encode(): os.urandom(200) for n in range(500)}


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[TaskDirectory]:
    with StateDirectory(tmp_path, "app").lock_task("0_1") as task:
        yield task


@pytest.fixture
def store(directory: TaskDirectory) -> Path:
    """A closed store with a table file."""
    path = directory.store_path("counts")
    engine = RocksDbStore(path)
    engine.write(ROWS, 500)
    engine.close()
    RocksDbStore(path).close()  # what was in its log is now in a table
    assert list(path.glob("*.sst"))
    return path


def opened(
    damaged: DamagedStores, directory: TaskDirectory, rebuilt_from: str | None = "topic 'log'"
) -> StoreEngine:
    path = directory.store_path("counts")
    return damaged.open("counts", directory, lambda: RocksDbStore(path), rebuilt_from=rebuilt_from)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def garble(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(os.urandom(size - size // 2))


@pytest.mark.parametrize("file", ["*.sst", "MANIFEST-*", "CURRENT"])
@pytest.mark.parametrize("spoil", [cut, garble, Path.unlink])
def test_what_cannot_be_opened_is_set_aside_and_begins_empty(
    file: str,
    spoil: Callable[[Path], None],
    store: Path,
    directory: TaskDirectory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for path in store.glob(file):
        spoil(path)
    engine = opened(DamagedStores(), directory)
    assert (engine.changelog_offset(), list(engine.scan(None, None, reverse=False))) == (None, [])
    engine.close()
    aside = directory.path / "damaged" / "counts"
    assert aside.is_dir()
    [told] = caplog.records
    assert told.levelno == logging.WARNING
    assert told.message.startswith(
        f"store 'counts' of task 0_1 is damaged and is rebuilt from topic 'log'; its files are"
        f" kept in {aside} until"
    )


def test_a_log_whose_end_is_damaged_gives_the_state_of_an_earlier_write(
    directory: TaskDirectory,
) -> None:
    """Then the changelog gives the rest: rows are never newer than the offset that is known."""
    path = directory.store_path("counts")
    engine = RocksDbStore(path)
    for number in range(100):
        engine.write({f"{number:03}".encode(): b"x" * 100}, number + 1)
    killed = directory.store_path("killed")
    copytree(path, killed)
    engine.close()
    for log in killed.glob("*.log"):
        cut(log)
    again = RocksDbStore(killed)
    offset = again.changelog_offset()
    assert offset is not None
    assert 0 < offset < 100
    assert len(list(again.scan(None, None, reverse=False))) == offset
    again.close()


def test_damage_that_a_read_meets_is_set_aside_when_the_store_is_opened_next(
    store: Path, directory: TaskDirectory
) -> None:
    damaged = DamagedStores()
    engine = opened(damaged, directory)
    for table in store.glob("*.sst"):
        with table.open("r+b") as file:
            file.write(b"\xab" * (table.stat().st_size // 2))
    with pytest.raises(StateCorruptedError) as met:
        engine.collect(min(ROWS), max(ROWS))
    engine.close()
    failure = StreamsError("failed on a record")
    failure.__cause__ = met.value
    assert damaged.note(failure) is met.value
    again = opened(damaged, directory)
    assert again.changelog_offset() is None
    again.write({b"a": b"b"}, 3)
    again.close()
    last = opened(damaged, directory)  # noted once, set aside once
    assert last.changelog_offset() == 3
    last.close()


def test_a_store_that_cannot_be_rebuilt_stays_where_it_is(
    store: Path, directory: TaskDirectory
) -> None:
    [manifest] = store.glob("MANIFEST-*")
    cut(manifest)
    damaged = DamagedStores()
    for _ in range(2):
        with pytest.raises(StateError, match=r"no changelog \(logging=False\).*move it away"):
            opened(damaged, directory, None)
    assert manifest.exists()


def test_only_the_last_damaged_files_are_kept_and_a_failing_disk_is_told(
    store: Path, directory: TaskDirectory
) -> None:
    damaged = DamagedStores()
    for _ in range(3):
        (store / "CURRENT").write_text("x")
        opened(damaged, directory).close()
    assert [entry.name for entry in (directory.path / "damaged").iterdir()] == ["counts"]
    (store / "CURRENT").write_text("x")
    with pytest.raises(StateError, match=r"damaged 4 times since this worker.*check it"):
        opened(damaged, directory)


def test_a_store_that_is_in_use_is_not_damaged(store: Path, directory: TaskDirectory) -> None:
    engine, damaged = RocksDbStore(store), DamagedStores()
    with pytest.raises(StateLockedError) as refused:
        opened(damaged, directory)
    assert damaged.note(refused.value) is None
    engine.close()
    assert not (directory.path / "damaged").exists()


def test_failures_of_others_are_no_damage() -> None:
    damaged = DamagedStores()
    assert damaged.note(ValueError("x")) is None
    assert damaged.note(StateCorruptedError("an engine of the user's own, without a path")) is None

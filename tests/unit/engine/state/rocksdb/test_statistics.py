"""RocksDB's statistics are read from the text that the real binding returns."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rocksdict", reason="RocksDB is not installed; make engine installs it")

from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock._engine.state.rocksdb.settings import RocksDbSettings
from penstock._engine.state.rocksdb.statistics import COUNTED, TIMED, Statistic, read_statistics

ROWS = {b"%06d" % number: b"v" * 100 for number in range(2_000)}


def test_all_that_metrics_are_made_of_is_there(tmp_path: Path) -> None:
    store = RocksDbStore(tmp_path / "rows", RocksDbSettings(write_buffer_bytes=65_536), counts=True)
    store.write(ROWS, 1)
    assert store.get(b"000001") == b"v" * 100
    assert store.get(b"none") is None
    told = store.statistics()
    assert told.keys() == {*COUNTED, *TIMED}
    assert told["bytes.written"].count > 2_000 * 100
    assert told["memtable.hit"].count + told["memtable.miss"].count == 2
    store.close()


def test_flushes_have_a_count_a_sum_and_a_maximum(tmp_path: Path) -> None:
    store = RocksDbStore(tmp_path / "rows", counts=True)
    store.write(ROWS, 1)
    store._database.flush(wait=True)
    flushed = store.statistics()["db.flush.micros"]
    assert flushed.count >= 1
    assert 0 < flushed.largest <= flushed.sum
    store.close()


def test_a_store_that_does_not_count_has_none(tmp_path: Path) -> None:
    store = RocksDbStore(tmp_path / "rows")
    assert store.statistics() == {}
    store.close()


def test_lines_that_are_not_known_are_passed_over() -> None:
    text = "rocksdb.bytes.written COUNT : 7\nrocksdb.new.thing COUNT : 8\nsomething else\n"
    assert read_statistics(text) == {"bytes.written": Statistic(7)}

"""Our settings in RocksDB's words. What RocksDB made of them is in test_key_value.py."""

from __future__ import annotations

from typing import get_args

import pytest

pytest.importorskip("rocksdict", reason="RocksDB is not installed; make engine installs it")

from rocksdict import DBCompactionStyle, DBCompressionType

from penstock._engine.state.rocksdb.settings import CompactionStyle, Compression


def test_rocksdb_has_every_choice() -> None:
    assert all(hasattr(DBCompactionStyle, style) for style in get_args(CompactionStyle))
    assert all(hasattr(DBCompressionType, name) for name in get_args(Compression))

"""RocksDB's own sentences, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.state.rocksdb.refusals import explained
from penstock.errors import StateCorruptedError, StateError, StateLockedError

PATH = Path("state/app/0_1/rocksdb/counts")


@pytest.mark.parametrize(
    ("said", "kind", "advice"),
    [
        ("IO error: While lock file: x/LOCK: Resource busy", StateLockedError, "stop that process"),
        (
            "IO error: lock hold by current process, x/LOCK",
            StateLockedError,
            "close it there first",
        ),
        ("Corruption: checksum mismatch", StateCorruptedError, "delete that directory"),
        ("IO error: No such file or directory: x", StateCorruptedError, "delete that directory"),
        ("Invalid argument: Column families not opened: x", StateError, "a 'state.dir' of its own"),
        ("IO error: No space left on device", StateError, "check the disk's free space"),
        ("IO error: Permission denied: x", StateError, "the directory's permissions"),
        ("IO error: Too many open files: x", StateError, "'ulimit -n 65536'"),
    ],
)
def test_each_says_what_where_and_what_to_do(
    said: str, kind: type[StateError], advice: str
) -> None:
    error = explained(Exception(said), PATH, "opened")
    assert type(error) is kind
    assert error.path == PATH
    assert str(error).startswith(f"the state store in {PATH} cannot be opened: ")
    assert advice in str(error)

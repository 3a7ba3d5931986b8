"""A process that commits to an engine until it is killed, and says what has returned.

`python -m tests.stores.committer <engine> <path>` goes on after the offset it finds. Each commit
depends on its offset only, so that a later reader of the engine knows what must be in it.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from penstock._engine.state.contract import StoreEngine
from tests.stores.engines import ENGINES


def commit(offset: int) -> dict[bytes, bytes | None]:
    """Return the changes of one commit: some of many keys, one key that all commits change."""
    chance = random.Random(offset)
    changes: dict[bytes, bytes | None] = {}
    for _ in range(chance.randrange(1, 60)):
        key = b"key-%04d" % chance.randrange(2_000)
        changes[key] = None if chance.random() < 0.2 else chance.randbytes(200)
    changes[b"last"] = b"%d" % offset
    return changes


def open_engine(name: str, path: Path) -> StoreEngine:
    """Open an engine so that it works on its files all the time, if it has any."""
    if name != "rocksdb":
        return ENGINES[name].open(path)
    # Imported here: without RocksDB the suite still runs on the other engines.
    from penstock._engine.state.rocksdb.key_value import RocksDbStore  # noqa: PLC0415
    from penstock._engine.state.rocksdb.settings import RocksDbSettings  # noqa: PLC0415

    return RocksDbStore(path, RocksDbSettings(write_buffer_bytes=64 * 1024))


def main() -> None:
    print("opening", flush=True)
    engine = open_engine(sys.argv[1], Path(sys.argv[2]))
    offset = engine.changelog_offset()
    while True:
        offset = 0 if offset is None else offset + 1
        engine.write(commit(offset), offset)
        print(offset, flush=True)


if __name__ == "__main__":
    main()

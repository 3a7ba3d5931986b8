"""What is RocksDB's own: settings, metrics, damage, locks. Its behaviour is in tests/stores."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.errors import StateCorruptedError, StateError, StateLockedError

pytest.importorskip("rocksdict", reason="RocksDB is not installed; make engine installs it")

from rocksdict import Options, Rdict

from penstock._engine.state.rocksdb.key_value import PROPERTIES, RocksDbStore
from penstock._engine.state.rocksdb.settings import RocksDbSettings

ENTRIES: dict[bytes, bytes | None] = {b"%06d" % number: b"v" * 50 for number in range(2_000)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "0_1" / "rocksdb" / "counts"


@pytest.fixture
def closed(path: Path) -> Path:
    """A store with some entries, in files, closed."""
    store = RocksDbStore(path)
    store.write(ENTRIES, 7)
    store.close()
    return path


@pytest.mark.parametrize(
    "settings",
    [
        RocksDbSettings(compression="lz4"),
        RocksDbSettings(compression="zstd", compaction_style="level"),
        RocksDbSettings(block_cache_bytes=0, bloom_filter_bits_per_key=0),
        RocksDbSettings(cache_index_and_filter_blocks=True, block_size_bytes=16_384),
        RocksDbSettings(write_buffer_bytes=65_536, write_buffer_count=2),
    ],
)
def test_settings_may_change_from_one_start_to_the_next(
    closed: Path, settings: RocksDbSettings
) -> None:
    store = RocksDbStore(closed, settings)
    store.write({b"new": b"1"}, 8)
    store.close()
    again = RocksDbStore(closed)
    assert len(list(again.scan(None, None, reverse=False))) == len(ENTRIES) + 1
    assert again.changelog_offset() == 8
    again.close()


def test_settings_reach_rocksdb(path: Path) -> None:
    settings = RocksDbSettings(
        block_cache_bytes=1_000_000,
        block_size_bytes=8_192,
        write_buffer_bytes=2_000_000,
        write_buffer_count=5,
        level0_file_num_compaction_trigger=5,
        level0_slowdown_writes_trigger=21,
        level0_stop_writes_trigger=37,
        max_bytes_for_level_base=1_000_000,
        compaction_style="level",
        compression="lz4",
    )
    store = RocksDbStore(path, settings)
    assert store.properties()["block-cache-capacity"] == 1_000_000
    store.close()
    written = "\n".join(file.read_text() for file in path.glob("OPTIONS-*"))
    for line in (
        "block_size=8192",
        "write_buffer_size=2000000",
        "max_write_buffer_number=5",
        "level0_file_num_compaction_trigger=5",
        "level0_slowdown_writes_trigger=21",
        "level0_stop_writes_trigger=37",
        "max_bytes_for_level_base=1000000",
        "compaction_style=kCompactionStyleLevel",
        "compression=kLZ4Compression",
        "filter_policy=bloomfilter",
        "atomic_flush=true",
    ):
        assert line in written


def test_the_numbers_have_the_names_of_kafkas_metrics(path: Path) -> None:
    store = RocksDbStore(path)
    store.write(ENTRIES, 1)
    numbers = store.properties()
    store.close()
    assert tuple(numbers) == PROPERTIES
    assert numbers["estimate-num-keys"] == len(ENTRIES)
    assert numbers["num-entries-active-mem-table"] == len(ENTRIES)
    assert numbers["cur-size-all-mem-tables"] > 100_000
    assert numbers["block-cache-capacity"] == 50 * 1024 * 1024
    assert numbers["background-errors"] == 0


def test_a_closed_store_has_its_entries_in_files(closed: Path) -> None:
    store = RocksDbStore(closed)
    assert store.properties()["total-sst-files-size"] > 10_000
    assert store.properties()["num-entries-active-mem-table"] == 0
    store.close()


def test_the_log_of_a_store_that_is_opened_often_stays_short(path: Path) -> None:
    for _ in range(5):
        RocksDbStore(path).close()
    assert len(list(path.glob("LOG*"))) <= 2


def test_a_store_that_was_killed_often_does_not_gather_files(tmp_path: Path) -> None:
    """Each open makes files of what the log held: a soak with killed workers held ever more."""
    store = RocksDbStore(tmp_path / "0")
    for number in range(1, 9):
        store.write({b"%d" % number: b"value"}, number)
        # What a kill leaves: the files as they are while the store is open.
        shutil.copytree(store.path, tmp_path / str(number))
        store.close()
        store = RocksDbStore(tmp_path / str(number))
    assert len(list(store.path.glob("*.sst"))) <= 3
    assert (store.changelog_offset(), store.get(b"1"), store.get(b"8")) == (8, b"value", b"value")
    store.close()


def test_old_write_ahead_logs_go_with_the_memory_they_cover(path: Path) -> None:
    """The offset's own few bytes must not keep every log since the start."""
    store = RocksDbStore(path, RocksDbSettings(write_buffer_bytes=65_536))
    for offset in range(60):
        store.write({b"%06d" % offset + key: b"v" * 50 for key in ENTRIES}, offset)
    assert store.properties()["total-sst-files-size"] > 1_000_000
    # One that is written, those whose memory is being written to a file, one about to be deleted.
    assert len(list(path.glob("*.log"))) <= 8
    store.close()


def test_a_store_can_be_deleted(closed: Path) -> None:
    RocksDbStore.destroy(closed)
    assert not closed.exists()
    RocksDbStore.destroy(closed)


def test_an_open_store_is_not_deleted(path: Path) -> None:
    store = RocksDbStore(path)
    with pytest.raises(StateLockedError, match=r"cannot be deleted: this process has it open"):
        RocksDbStore.destroy(path)
    store.write({b"a": b"1"}, 1)
    assert store.get(b"a") == b"1"
    store.close()


def test_a_store_that_is_open_in_this_process_is_not_opened_again(path: Path) -> None:
    store = RocksDbStore(path)
    with pytest.raises(StateLockedError, match="this process has it open already") as refused:
        RocksDbStore(path)
    assert refused.value.path == path
    store.close()


@pytest.mark.slow
def test_a_store_that_is_open_in_another_process_is_not_opened(path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from penstock._engine.state.rocksdb.key_value import RocksDbStore\n"
        "store = RocksDbStore(pathlib.Path(sys.argv[1]))\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(StateLockedError, match="another process has it open; stop that"):
            RocksDbStore(path)
    RocksDbStore(path).close()


def _overwrite(pattern: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        for file in path.glob(pattern):
            data = bytearray(file.read_bytes())
            data[20:60] = bytes(40)
            file.write_bytes(data)

    return damage


def _delete(pattern: str) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        for file in path.glob(pattern):
            file.unlink()

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "manifest overwritten": _overwrite("MANIFEST-*"),
    "manifest gone": _delete("MANIFEST-*"),
    "table gone": _delete("*.sst"),
    "table cut": lambda path: [file.write_bytes(b"") for file in path.glob("*.sst")],
    "pointer overwritten": lambda path: (path / "CURRENT").write_bytes(b"nonsense"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_not_opened(closed: Path, damage: str) -> None:
    DAMAGES[damage](closed)
    with pytest.raises(StateCorruptedError) as refused:
        RocksDbStore(closed)
    assert str(refused.value).startswith(f"the state store in {closed} cannot be opened")
    assert "delete that directory" in str(refused.value)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_can_be_deleted_and_begun_anew(closed: Path, damage: str) -> None:
    DAMAGES[damage](closed)
    RocksDbStore.destroy(closed)
    store = RocksDbStore(closed)
    assert store.changelog_offset() is None
    assert list(store.scan(None, None, reverse=False)) == []
    store.close()


@pytest.mark.parametrize("reverse", [False, True])
def test_a_damaged_table_is_no_empty_one(closed: Path, reverse: bool) -> None:
    """RocksDB ends a scan at a block it cannot read as if there were no more."""
    [table] = [file for file in closed.glob("*.sst") if file.stat().st_size > 10_000]
    _overwrite(table.name)(closed)
    store = RocksDbStore(closed)
    with pytest.raises(StateCorruptedError, match="cannot be read"):
        store.get(b"000001")
    with pytest.raises(StateCorruptedError, match="cannot be read"):
        list(store.scan(None, None, reverse=reverse))
    store.close()


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    path.write_text("something else")
    with pytest.raises(StateError, match="cannot be opened") as refused:
        RocksDbStore(path)
    assert str(path) in str(refused.value)
    assert path.read_text() == "something else"


def test_what_another_program_wrote_is_left_alone(path: Path) -> None:
    options = Options(raw_mode=True)
    options.create_if_missing(True)
    options.create_missing_column_families(True)
    path.mkdir(parents=True)
    Rdict(str(path), options, column_families={"keyValueWithTimestamp": options}).close()
    with pytest.raises(StateError, match=r"another program has written it.*a 'state\.dir' of its"):
        RocksDbStore(path)

"""What an engine keeps: whole commits with their changelog offset, until it is closed or killed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock._engine.state.contract import StoreEngine
from penstock.errors import StateClosedError
from tests.stores.engines import ENGINES, engine_names


@pytest.fixture(params=engine_names())
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreEngine]:
    opened = ENGINES[request.param].open(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture(params=engine_names(lasting=True))
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reopen]:
    made = Reopen(str(request.param), tmp_path / "store")
    yield made
    made.engine.close()


class Reopen:
    """An engine that can be closed and opened again at the same path."""

    def __init__(self, name: str, path: Path) -> None:
        self._name, self._path = name, path
        self.engine = ENGINES[name].open(path)

    def __call__(self) -> StoreEngine:
        self.engine.close()
        self.engine = ENGINES[self._name].open(self._path)
        return self.engine


def contents(engine: StoreEngine) -> dict[bytes, bytes]:
    return dict(engine.scan(None, None, reverse=False))


def test_a_new_engine_knows_no_offset(engine: StoreEngine) -> None:
    assert engine.changelog_offset() is None


@pytest.mark.parametrize("offset", [0, 1, 2**31, 2**63 - 1])
def test_the_offset_is_that_of_the_last_write(engine: StoreEngine, offset: int) -> None:
    engine.write({b"a": b"1"}, 7)
    engine.write({b"b": b"2"}, offset)
    assert engine.changelog_offset() == offset


def test_a_write_without_offset_leaves_it(engine: StoreEngine) -> None:
    engine.write({b"a": b"1"}, None)
    assert engine.changelog_offset() is None
    engine.write({}, 5)
    engine.write({b"a": b"2"}, None)
    assert engine.changelog_offset() == 5


def test_an_offset_can_be_written_alone(engine: StoreEngine) -> None:
    engine.write({}, 3)
    assert engine.changelog_offset() == 3
    assert contents(engine) == {}


def test_the_offset_is_no_entry(engine: StoreEngine) -> None:
    engine.write({b"a": b"1"}, 3)
    assert contents(engine) == {b"a": b"1"}
    assert engine.approximate_num_entries() == 1


def test_one_write_puts_and_deletes(engine: StoreEngine) -> None:
    engine.write({b"a": b"1", b"b": b"2"}, 1)
    engine.write({b"a": None, b"b": b"3", b"c": b"4"}, 2)
    assert contents(engine) == {b"b": b"3", b"c": b"4"}


def test_the_engine_keeps_nothing_of_the_callers_mapping(engine: StoreEngine) -> None:
    changes: dict[bytes, bytes | None] = {b"a": b"1"}
    engine.write(changes, 1)
    changes[b"b"] = b"2"
    del changes[b"a"]
    assert contents(engine) == {b"a": b"1"}


@pytest.fixture
def _restless_threads() -> Iterator[None]:
    """Make Python switch between threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.slow
@pytest.mark.usefixtures("_restless_threads")
def test_another_thread_scans_whole_commits_only(engine: StoreEngine) -> None:
    """Each commit gives all keys one value; a query must never see two."""
    keys = [b"%03d" % index for index in range(200)]
    engine.write(dict.fromkeys(keys, b"0"), 0)
    seen: list[set[bytes]] = []
    done = threading.Event()

    def query() -> None:
        while not done.is_set():
            seen.append({value for _, value in engine.scan(None, None, reverse=False)})

    thread = threading.Thread(target=query)
    thread.start()
    for commit in range(1, 300):
        engine.write(dict.fromkeys(keys, b"%d" % commit), commit)
    done.set()
    thread.join()
    assert {len(values) for values in seen} == {1}


def test_closing_twice_does_nothing(engine: StoreEngine) -> None:
    engine.close()
    engine.close()


def test_a_closed_engine_refuses(engine: StoreEngine) -> None:
    engine.write({b"a": b"1"}, 1)
    engine.close()
    with pytest.raises(StateClosedError, match="closed"):
        engine.get(b"a")
    with pytest.raises(StateClosedError):
        engine.scan(None, None, reverse=False)
    with pytest.raises(StateClosedError):
        engine.write({b"a": b"2"}, 2)
    with pytest.raises(StateClosedError):
        engine.changelog_offset()
    with pytest.raises(StateClosedError):
        engine.approximate_num_entries()


def test_entries_and_offset_are_found_again(reopen: Reopen) -> None:
    reopen.engine.write({b"a": b"1", b"": b"", b"gone": b"x"}, 41)
    reopen.engine.write({b"b": b"2", b"gone": None}, 42)
    engine = reopen()
    assert contents(engine) == {b"": b"", b"a": b"1", b"b": b"2"}
    assert engine.changelog_offset() == 42


def test_an_engine_goes_on_after_it_was_opened_again(reopen: Reopen) -> None:
    for commit in range(5):
        reopen.engine.write({b"last": b"%d" % commit, b"%d" % commit: b"x"}, commit)
        reopen()
    assert len(contents(reopen.engine)) == 6
    assert reopen.engine.get(b"last") == b"4"
    assert reopen.engine.changelog_offset() == 4


def test_unfinished_scans_do_not_keep_the_engine_open(reopen: Reopen) -> None:
    reopen.engine.write({b"a": b"1", b"b": b"2"}, 1)
    begun = reopen.engine.scan(None, None, reverse=False)
    begun_backwards = reopen.engine.scan(None, None, reverse=True)
    assert next(begun) == (b"a", b"1")
    assert next(begun_backwards) == (b"b", b"2")
    assert reopen().get(b"a") == b"1"
    with pytest.raises(StateClosedError):
        next(begun)
    with pytest.raises(StateClosedError):
        next(begun_backwards)

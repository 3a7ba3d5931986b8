"""Folding records into stored aggregates, in Python and in C: the same results."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import serdes
from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.position import Position
from penstock._engine.state.cache import entries
from penstock._engine.state.cache.entries import PlainBudget, PlainEntries
from penstock._engine.state.cache.fold import Functions
from penstock._engine.state.cache.record_cache import CachedStore
from penstock._engine.state.codec import plain_codec
from penstock._engine.state.logged import LoggedStore
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.views.table import TableState
from penstock._engine.topology.nodes.counting import count_one
from penstock.serdes import Serde

FORMS = [False] if compiled is None else [False, True]

LONG, TEXT, JSON = serdes.long(), serdes.string(), serdes.json()


def table(serde: Serde[Any], *, in_c: bool, limit_bytes: int = 10_000) -> TableState:
    """Give the state of a table with a cache."""
    below = LoggedStore(Overlay(MemoryStore()), None)
    make_budget = entries.CacheBudget if in_c else PlainBudget
    make_entries = entries.Entries if in_c else PlainEntries
    with patch("penstock._engine.state.cache.record_cache.Entries", make_entries):
        cache = CachedStore(below, make_budget(limit_bytes), Position())
    return TableState("counts", plain_codec("changelog", TEXT, serde), cache)


def joined(_key: Any, value: Any, aggregate: Any) -> Any:
    return f"{aggregate}{value}"


def added(_key: Any, value: Any, aggregate: Any) -> Any:
    return None if value == 0 else aggregate + value


PROGRAMS: list[tuple[Serde[Any], Any, Callable[[Any, Any, Any], Any]]] = [
    (LONG, 0, added),
    (LONG, 0, count_one),
    (LONG, 2**63 - 3, count_one),
    (LONG, "no number", joined),
    (TEXT, "", joined),
    (serdes.double(), 0.5, added),
    (serdes.integer(), 0, added),
    (JSON, 0, added),
]
RECORDS = st.tuples(
    st.sampled_from([b"a", b"b", b"c"]),
    st.sampled_from([0, 1, 2**62, 2**63, -(2**63), True]),
    st.integers(0, 5),
)


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(
    st.sampled_from(PROGRAMS), st.lists(RECORDS, max_size=12), st.sampled_from([0, 70, 150, 10_000])
)
def test_both_forms_fold_alike(
    program: tuple[Serde[Any], Any, Any], records: list[tuple[bytes, Any, int]], limit_bytes: int
) -> None:
    serde, initial, aggregator = program

    def rows(*, in_c: bool) -> list[Any]:
        state = table(serde, in_c=in_c, limit_bytes=limit_bytes)
        into = state.folder(Functions(lambda: initial, aggregator, count=aggregator is count_one))
        seen: list[Any] = []
        for raw_key, value, timestamp in records:
            try:
                into(raw_key, raw_key.decode(), value, timestamp, ())
            except Exception as error:
                seen.append((type(error), str(error)))
            seen.append(list(state.scan(None, None, reverse=False)))
        return seen

    assert rows(in_c=True) == rows(in_c=False)


@pytest.mark.parametrize("in_c", FORMS)
class TestEachForm:
    def test_a_row_has_the_time_of_its_latest_record(self, in_c: bool) -> None:
        state = table(LONG, in_c=in_c)
        into = state.folder(Functions(lambda: 0, added))
        for timestamp in (5, 9, 7):
            into(b"a", "a", 1, timestamp, ())
        row = state.read(b"a")
        assert row is not None
        assert state.decode_row(row) == (9, 3)

    def test_what_the_users_functions_raise_comes_out(self, in_c: bool) -> None:
        def fail(*_: Any) -> Any:
            raise ZeroDivisionError

        state = table(LONG, in_c=in_c)
        with pytest.raises(ZeroDivisionError):
            state.folder(Functions(fail, added))(b"a", "a", 1, 0, ())
        with pytest.raises(ZeroDivisionError):
            state.folder(Functions(lambda: 0, fail))(b"a", "a", 1, 0, ())
        assert state.read(b"a") is None

    def test_nothing_of_a_record_stays(self, in_c: bool) -> None:
        """A reference too many, and a worker would grow with each record."""
        state = table(LONG, in_c=in_c)
        into = state.folder(Functions(lambda: 0, lambda key, value, aggregate: aggregate + 1))
        raw_key, key, value, timestamp = b"a raw key", "a key", object(), 2**40 + len(FORMS)
        into(raw_key, key, value, timestamp, ())
        before = [sys.getrefcount(each) for each in (raw_key, key, value, timestamp)]
        for _ in range(10):
            into(raw_key, key, value, timestamp, ())
        assert [sys.getrefcount(each) for each in (raw_key, key, value, timestamp)] == before

    def test_a_circle_is_let_go(self, in_c: bool) -> None:
        class Program:
            def start(self) -> None:
                self.fold = table(LONG, in_c=in_c).folder(Functions(self.initial, added))
                self.fold(b"a", "a", 1, 0, ())

            def initial(self) -> int:
                return 0

        program = Program()
        program.start()
        gone = weakref.ref(program)
        del program
        gc.collect()
        assert gone() is None


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
def test_c_is_used_where_it_can_be() -> None:
    in_c: Any = table(LONG, in_c=True).folder(Functions(lambda: 0, added))
    plain = table(LONG, in_c=False).folder(Functions(lambda: 0, added))
    assert type(in_c.__self__).__name__ == "Fold"
    assert not hasattr(plain, "__self__")


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
def test_c_refuses_what_it_cannot_fold() -> None:
    in_c: Any = table(LONG, in_c=True).folder(Functions(lambda: 0, added))
    made = in_c.__self__
    with pytest.raises(TypeError):
        type(made)(None, bytes, print, int, added, False, False)
    with pytest.raises(TypeError):
        type(made)()
    with pytest.raises(TypeError):
        made.fold(b"a")


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@pytest.mark.parametrize("made", [bytearray, memoryview])
@pytest.mark.parametrize("aggregator", [count_one, added])
def test_c_folds_rows_that_are_other_buffers_than_bytes(
    made: Callable[[bytes], Any], aggregator: Callable[[Any, Any, Any], Any]
) -> None:
    row = (7).to_bytes(8, "big") + (41).to_bytes(8, "big")
    held: Any = entries.Entries(
        entries.CacheBudget(10_000), Position(), lambda key: made(row), None, lambda: None
    )
    decode = plain_codec("changelog", TEXT, LONG).decode_row
    counts = aggregator is count_one
    fold = compiled.Fold(held, decode, held.write, int, aggregator, True, counts)
    fold.fold(b"k", "k", 1, 9, ())
    assert held.get(b"k") == (9).to_bytes(8, "big") + (42).to_bytes(8, "big")

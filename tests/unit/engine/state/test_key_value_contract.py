"""What every key-value store does, whatever it is made of: seen as a processor sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import KeyValueStore, Processor, Record, Stores, StreamsBuilder, serdes
from penstock.testing import TopologyTestDriver
from tests.operators.programs import drive

Store = KeyValueStore[str, int]


class Hold(Processor[Any, Any, Any, Any]):
    def process(self, record: Record[Any, Any]) -> None: ...


def open_store(kind: str) -> tuple[TopologyTestDriver, Store]:
    def build(builder: StreamsBuilder) -> None:
        make = getattr(Stores, kind)
        builder.add_state_store(make("s", key=serdes.string(), value=serdes.long()))
        builder.stream("in").process(Hold, state_stores=["s"])

    driver = drive(build, **{"application.id": "app"})
    return driver, driver.get_state_store("s")


@pytest.fixture(params=["in_memory_key_value_store"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str) -> Iterator[Store]:
    driver, opened = open_store(kind)
    with driver:
        yield opened


def test_a_store_has_its_name(store: Store) -> None:
    assert store.name == "s"


def test_what_was_put_is_there(store: Store) -> None:
    store.put("a", 1)
    store.put("a", 2)
    assert store.get("a") == 2
    assert store.get("b") is None


def test_putting_none_deletes(store: Store) -> None:
    store.put("a", 1)
    store.put("a", None)
    store.put("b", None)
    assert store.get("a") is None
    assert list(store.all()) == []


def test_delete_gives_what_was_there(store: Store) -> None:
    store.put("a", 1)
    assert (store.delete("a"), store.delete("a")) == (1, None)


def test_put_if_absent_gives_what_was_there(store: Store) -> None:
    assert store.put_if_absent("a", 1) is None
    assert store.put_if_absent("a", 2) == 1
    assert store.get("a") == 1


def test_put_all_puts_and_deletes_in_order(store: Store) -> None:
    store.put("a", 1)
    store.put_all([("a", None), ("b", 2), ("b", 3)])
    assert list(store.all()) == [("b", 3)]


def test_entries_are_sorted_by_the_bytes_of_their_keys(store: Store) -> None:
    for key in ("b", "é", "a", "", "aa", "\U0001f600"):
        store.put(key, len(key))
    keys = ["", "a", "aa", "b", "é", "\U0001f600"]
    assert [key for key, _ in store.all()] == keys
    assert [key for key, _ in store.reverse_all()] == keys[::-1]


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        ("b", "c", "bc"),
        ("b", None, "bcd"),
        (None, "b", "ab"),
        (None, None, "abcd"),
        ("aa", "bb", "b"),
        ("c", "b", ""),
        ("x", "z", ""),
    ],
)
def test_a_range_includes_both_ends(
    store: Store, start: str | None, end: str | None, found: str
) -> None:
    for key in "dbca":
        store.put(key, 1)
    assert "".join(key for key, _ in store.range(start, end)) == found
    assert "".join(key for key, _ in store.reverse_range(start, end)) == found[::-1]


def test_a_prefix_finds_the_keys_that_begin_with_it(store: Store) -> None:
    for key in ("a", "ab", "abc", "b", "ac"):
        store.put(key, 1)
    assert [key for key, _ in store.prefix_scan(b"ab")] == ["ab", "abc"]
    assert len(list(store.prefix_scan(b""))) == 5


def test_entries_are_those_of_the_moment_the_scan_began(store: Store) -> None:
    for key in "abc":
        store.put(key, 1)
    seen = []
    for key, value in store.all():
        seen.append((key, value))
        store.put("b", None)
        store.put("c", 9)
        store.put("d", 1)
    assert seen == [("a", 1), ("b", 1), ("c", 1)]


def test_the_count_is_about_right(store: Store) -> None:
    for key in "abc":
        store.put(key, 1)
    store.delete("a")
    assert store.approximate_num_entries() == 2


def test_a_null_key_is_refused(store: Store) -> None:
    nothing: Any = None
    for use in (store.get, store.delete, lambda key: store.put(key, 1)):
        with pytest.raises(ValueError, match="state store 's' takes no null keys"):
            use(nothing)


def test_java_s_spelling_is_answered(store: Store) -> None:
    with pytest.raises(AttributeError, match="KeyValueStore has no 'putIfAbsent'; in Python it is"):
        _ = store.putIfAbsent  # type: ignore[attr-defined]


def test_each_change_is_a_changelog_record(kind: str) -> None:
    driver, opened = open_store(kind)
    with driver:
        opened.put("a", 1)
        opened.delete("a")
        driver.advance_wall_clock_time(1)
        changelog = driver.create_output_topic("app-s-changelog", serdes.string(), serdes.long())
        assert changelog.read_key_values() == [("a", 1), ("a", None)]


KEYS = st.text("ab\xff", max_size=3)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), KEYS, st.one_of(st.none(), st.integers(0, 9))),
        st.tuples(st.just("put_if_absent"), KEYS, st.integers(0, 9)),
        st.tuples(st.just("delete"), KEYS),
    ),
    max_size=30,
)


@settings(deadline=None, max_examples=50)
@given(steps=STEPS, start=st.one_of(st.none(), KEYS), end=st.one_of(st.none(), KEYS))
def test_a_store_is_a_sorted_dict(
    steps: list[tuple[Any, ...]], start: str | None, end: str | None
) -> None:
    driver, opened = open_store("in_memory_key_value_store")
    model: dict[str, int] = {}
    with driver:
        for verb, key, *values in steps:
            given = getattr(opened, verb)(key, *values)
            before = model.get(key)
            if verb == "delete" or values == [None]:
                model.pop(key, None)
            elif verb == "put" or before is None:
                model[key] = values[0]
            assert given == (None if verb == "put" else before)
        entries = sorted(model.items(), key=lambda entry: entry[0].encode())
        assert list(opened.all()) == entries
        assert list(opened.range(start, end)) == [
            (key, value)
            for key, value in entries
            if (start is None or start.encode() <= key.encode())
            and (end is None or key.encode() <= end.encode())
        ]

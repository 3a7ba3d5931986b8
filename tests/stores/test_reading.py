"""What can be read from an engine, and from uncommitted changes laid over it: always the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores.engines import ENGINES, SUBJECTS, Subject, engine_names


@pytest.fixture(params=engine_names())
def engine_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=SUBJECTS)
def store(engine_name: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    engine = ENGINES[engine_name].open(tmp_path / "store")
    yield SUBJECTS[request.param](engine)
    engine.close()


def test_a_new_store_is_empty(store: Subject) -> None:
    assert store.reader.get(b"a") is None
    assert store.entries() == []
    assert store.entries(reverse=True) == []
    assert store.reader.approximate_num_entries() == 0


def test_what_was_put_is_got(store: Subject) -> None:
    store.change({b"a": b"1", b"b": b"2"})
    assert (store.reader.get(b"a"), store.reader.get(b"b")) == (b"1", b"2")
    assert store.reader.get(b"c") is None


def test_a_later_value_replaces_the_earlier(store: Subject) -> None:
    store.change({b"a": b"1"})
    store.change({b"a": b"2"})
    assert store.reader.get(b"a") == b"2"
    assert store.entries() == [(b"a", b"2")]


def test_what_was_deleted_is_gone(store: Subject) -> None:
    store.change({b"a": b"1", b"b": b"2", b"c": b"3"})
    store.change({b"b": None})
    assert store.reader.get(b"b") is None
    assert store.entries() == [(b"a", b"1"), (b"c", b"3")]
    assert store.entries(reverse=True) == [(b"c", b"3"), (b"a", b"1")]


def test_what_was_deleted_can_be_put_again(store: Subject) -> None:
    store.change({b"a": b"1"})
    store.change({b"a": None})
    store.change({b"a": b"2"})
    assert store.entries() == [(b"a", b"2")]


def test_deleting_what_is_not_there_does_nothing(store: Subject) -> None:
    store.change({b"x": None})
    store.change({b"a": b"1", b"y": None})
    assert store.entries() == [(b"a", b"1")]


def test_an_empty_value_is_a_value(store: Subject) -> None:
    store.change({b"a": b""})
    assert store.reader.get(b"a") == b""
    assert store.entries() == [(b"a", b"")]


def test_an_empty_key_is_the_first_key(store: Subject) -> None:
    store.change({b"a": b"1", b"": b"0"})
    assert store.reader.get(b"") == b"0"
    assert store.entries() == [(b"", b"0"), (b"a", b"1")]
    assert store.entries(b"", b"a") == [(b"", b"0")]
    assert store.entries(b"", b"a", reverse=True) == [(b"", b"0")]
    store.change({b"": None})
    assert store.entries() == [(b"a", b"1")]


def test_keys_are_ordered_as_unsigned_bytes_and_shorter_ones_first(store: Subject) -> None:
    keys = [b"", b"\x00", b"\x00\x00", b"\x00\xff", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff\xff"]
    for key in reversed(keys):
        store.change({key: b"v"})
    assert [key for key, _ in store.entries()] == keys
    assert [key for key, _ in store.entries(reverse=True)] == keys[::-1]


def test_large_keys_and_values_come_back_whole(store: Subject) -> None:
    key, value = b"k" * 10_000, bytes(range(256)) * 4_000
    store.change({key: value})
    assert store.reader.get(key) == value
    assert store.entries() == [(key, value)]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (None, None, b"bdf"),
        (b"b", None, b"bdf"),
        (b"c", None, b"df"),
        (b"f", None, b"f"),
        (b"g", None, b""),
        (None, b"f", b"bd"),
        (None, b"e", b"bd"),
        (None, b"z", b"bdf"),
        (None, b"b", b""),
        (None, b"", b""),
        (b"", None, b"bdf"),
        (b"b", b"f", b"bd"),
        (b"a", b"z", b"bdf"),
        (b"c", b"e", b"d"),
        (b"d", b"d\x00", b"d"),
        (b"d", b"d", b""),
        (b"e", b"f", b""),
        (b"f", b"b", b""),
        (b"", b"", b""),
    ],
)
def test_a_scan_includes_its_start_and_excludes_its_end(
    store: Subject, start: bytes | None, end: bytes | None, expected: bytes
) -> None:
    store.change({b"b": b"1", b"x": b"9", b"d": b"2"})
    store.change({b"f": b"3", b"x": None})
    keys = [key for key, _ in store.entries(start, end)]
    assert keys == [bytes([key]) for key in expected]
    backwards = [key for key, _ in store.entries(start, end, reverse=True)]
    assert backwards == keys[::-1]


def test_a_scan_keeps_its_bounds_when_no_other_does(store: Subject) -> None:
    """The binding of RocksDB is handed an address of the bound, which must stay alive."""
    store.change({b"key-%05d" % index: b"v" for index in range(1_000)})
    scans = [
        store.reader.scan(None, b"key-" + str(index).zfill(5).encode(), reverse=False)
        for index in range(200, 300)
    ]
    trash = [str(index).zfill(9).encode() for index in range(10_000)]
    assert [sum(1 for _ in scan) for scan in scans] == list(range(200, 300))
    del trash


@pytest.mark.parametrize("reverse", [False, True])
def test_a_scan_does_not_see_what_changes_while_it_runs(store: Subject, reverse: bool) -> None:
    store.change({b"a": b"1", b"c": b"3"})
    store.change({b"d": b"4", b"e": b"5"})
    expected = store.entries(reverse=reverse)
    untouched = store.reader.scan(None, None, reverse=reverse)
    begun = store.reader.scan(None, None, reverse=reverse)
    first = next(begun)
    store.change({b"a": None, b"b": b"2", b"c": b"33", b"e": None, b"f": b"6"})
    store.change({b"d": None, b"g": b"7"})
    assert [first, *begun] == expected
    assert list(untouched) == expected
    assert store.entries() == [(b"b", b"2"), (b"c", b"33"), (b"f", b"6"), (b"g", b"7")]


def test_several_scans_run_side_by_side(store: Subject) -> None:
    store.change({b"a": b"1", b"b": b"2"})
    store.change({b"c": b"3"})
    up = store.reader.scan(None, None, reverse=False)
    down = store.reader.scan(None, None, reverse=True)
    assert [key for pair in zip(up, down, strict=True) for key, _ in pair] == [
        *(b"a", b"c"),
        *(b"b", b"b"),
        *(b"c", b"a"),
    ]


def test_a_store_can_be_changed_by_the_one_who_scans_it(store: Subject) -> None:
    store.change({b"a": b"1", b"b": b"2"})
    store.change({b"c": b"3"})
    for key, _ in store.reader.scan(None, None, reverse=False):
        store.change({key: None, key + key: b"new"})
    assert [key for key, _ in store.entries()] == [b"aa", b"bb", b"cc"]


def test_new_keys_among_many_are_found_by_the_next_scan(store: Subject) -> None:
    store.change({b"%05d" % index: b"v" for index in range(0, 6_000, 2)})
    assert len(store.entries()) == 3_000
    store.change({b"%05d" % index: b"v" for index in range(1, 400, 2)})
    store.change({b"%05d" % index: None for index in range(2_000, 6_000, 2)})
    expected = [*range(400), *range(400, 2_000, 2)]
    assert [int(key) for key, _ in store.entries()] == expected
    assert [int(key) for key, _ in store.entries(b"00398", b"00404")] == [398, 399, 400, 402]
    assert [int(key) for key, _ in store.entries(b"01990", None, reverse=True)] == [
        *(1998, 1996, 1994, 1992, 1990)
    ]


def test_the_number_of_entries_is_known_roughly(store: Subject) -> None:
    store.change({b"%04d" % index: b"v" for index in range(500)})
    store.change({b"%04d" % index: b"v" for index in range(500, 600)})
    assert store.reader.approximate_num_entries() == 600

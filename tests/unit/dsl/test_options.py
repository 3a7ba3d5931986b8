"""Options are plain data. What they refuse is in tests/refusals."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from penstock import (
    Branched,
    Consumed,
    Grouped,
    Materialized,
    Named,
    Printed,
    Produced,
    Repartitioned,
    StreamsBuilder,
    TimeWindows,
    TopologyError,
    serdes,
)
from penstock.dsl.options import given_name

TEXT = serdes.string()
OPTIONS = [
    Consumed(key=TEXT),
    Produced(value=TEXT),
    Repartitioned(partitions=3),
    Grouped("g"),
    Materialized("m", logging={"retention.ms": "1"}),
    Branched(),
    Named("n"),
]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: type(option).__name__)
def test_options_are_equal_by_what_they_say_and_do_not_change(option: Any) -> None:
    assert option == dataclasses.replace(option)
    with pytest.raises(dataclasses.FrozenInstanceError):
        option.name = "other"


@pytest.mark.parametrize("kind", [Consumed, Produced, Repartitioned, Branched, Grouped])
def test_everything_may_be_left_out(kind: Any) -> None:
    assert {field.default for field in dataclasses.fields(kind())} == {None}


def test_options_may_be_written_with_their_types() -> None:
    assert Consumed[str, str](key=TEXT) == Consumed(key=TEXT)


def test_a_name_may_be_text_or_named() -> None:
    assert given_name("n") == given_name(Named("n")) == "n"
    assert given_name(None) is None


def test_printed_goes_to_standard_output_or_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "lines.txt")
    assert Printed.to_sys_out(label="x").file is None
    assert Printed.to_file(path, label="x").file == path
    printed: Printed[str, None] = Printed.to_sys_out()
    assert printed.mapper("k", None) == "k, None"


def test_a_table_is_cached_and_logged_unless_said_otherwise() -> None:
    option = Materialized[str, str]()
    assert (option.caching, option.logging, option.store, option.name) == (True, True, None, None)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (Materialized, {"name": "a b"}, "store's name must consist of"),
        (Materialized, {"store": "lmdb"}, "must live in 'rocksdb', 'in_memory' or"),
        (Materialized, {"logging": 1}, "logging must be True, False or"),
        (Materialized, {"retention": -1}, "retention=...\\) must not be negative; got -1"),
        (Materialized, {"retention": "1h"}, "must be a timedelta or whole milliseconds; got '1h'"),
        (Materialized, {"history_retention": -1}, "must not be negative; got -1"),
        (
            Materialized,
            {"history_retention": 1, "store": "in_memory"},
            "must live in 'rocksdb'; got store='in_memory'; leave store out",
        ),
        (Materialized, {"value": serdes.string}, r"did you mean serdes.string\(\)\?"),
        (Grouped, {"name": "a b"}, "name must consist of"),
        (Grouped, {"key": 5}, "key serde must be a Serde"),
    ],
)
def test_wrong_tables_and_groupings_are_refused(
    kind: Any, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(TopologyError, match=message):
        kind(**given)


@pytest.mark.parametrize("wrong", [0, -1, True, "2", 2.0])
def test_a_store_holds_at_least_one_key(wrong: Any) -> None:
    with pytest.raises(TopologyError, match="Materialized: max_entries must be a whole number"):
        Materialized("m", max_entries=wrong)


@pytest.mark.parametrize(
    "others", [{"retention": 5}, {"history_retention": 5}, {"store": "rocksdb"}]
)
def test_a_store_of_few_keys_lives_in_memory_and_knows_no_times(others: dict[str, Any]) -> None:
    with pytest.raises(TopologyError, match=f"must have no {next(iter(others))}; got"):
        Materialized("m", max_entries=2, **others)
    assert Materialized("m", max_entries=2, store="in_memory").max_entries == 2


def test_windows_are_not_limited_by_a_number_of_keys() -> None:
    windowed = StreamsBuilder().stream("in").group_by_key().windowed_by(TimeWindows.of_size(5))
    with pytest.raises(TopologyError, match="of windows must not be limited by max_entries"):
        windowed.count(Materialized("m", max_entries=2))


def test_caching_is_yes_or_no() -> None:
    with pytest.raises(TopologyError, match="must be True or False; got 'no'"):
        Materialized("rows", caching="no")  # type: ignore[arg-type]

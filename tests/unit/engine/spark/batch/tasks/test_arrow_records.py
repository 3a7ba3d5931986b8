"""Both forms read the same records and partitions from columns, however these are sliced."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.dataframes.without_spark import INPUT_ROWS
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.spark.batch.tasks.arrow_records import (
    partitions_of,
    plain_partitions_of,
    plain_raw_records,
    raw_records,
)
from penstock.errors import StreamsError

data = st.none() | st.binary(max_size=5)
longs = st.integers(-(2**63), 2**63 - 1)
pairs = st.fixed_dictionaries({"key": st.text(max_size=2), "value": data})
headers = st.lists(pairs, max_size=2)
rows = st.lists(
    st.fixed_dictionaries(
        {"timestamp": longs, "key": data, "value": data, "offset": longs, "headers": headers}
    ),
    max_size=12,
)


@given(
    rows, st.integers(0, 4), st.sampled_from([[], ["offset"], ["headers"], ["offset", "headers"]])
)
def test_both_forms_make_the_same_records(
    drawn: list[dict[str, object]], first: int, without: list[str]
) -> None:
    batch = pa.RecordBatch.from_pylist(drawn, schema=INPUT_ROWS).slice(first)
    batch = batch.drop_columns(without)
    assert raw_records(batch, 40) == plain_raw_records(batch, 40)


@pytest.mark.parametrize("make", [raw_records, plain_raw_records])
def test_a_header_without_a_key_is_refused(make: Callable[..., object]) -> None:
    row = {"timestamp": 1, "offset": 0, "headers": [{"key": None, "value": b"x"}]}
    batch = pa.RecordBatch.from_pylist([row], schema=INPUT_ROWS)
    with pytest.raises(StreamsError, match="a header without a key"):
        make(batch, 0)


@given(st.lists(data, max_size=12), st.integers(0, 4), st.integers(1, 9))
def test_both_forms_find_the_same_partitions(
    keys: list[bytes | None], first: int, count: int
) -> None:
    column = pa.array(keys, pa.binary()).slice(first)
    found = partitions_of(column, count)
    assert found.equals(plain_partitions_of(column, count))
    assert found.to_pylist() == [partition_of(key or b"", count) for key in keys[first:]]


def test_records_are_numbered_unless_all_have_an_offset() -> None:
    drawn = [{"timestamp": 1, "offset": 7}, {"timestamp": 2, "offset": None}]
    batch = pa.RecordBatch.from_pylist(drawn, schema=INPUT_ROWS)
    assert raw_records(batch, 40) == [(40, 1, None, None, ()), (41, 2, None, None, ())]
    assert raw_records(batch.slice(0, 1), 40) == [(7, 1, None, None, ())]


def test_columns_that_are_too_short_are_refused() -> None:
    compiled = pytest.importorskip("penstock._engine.fast._fast")
    short = (0, None, b"\0" * 8, b"")
    with pytest.raises(ValueError, match="a value for each row"):
        compiled.column_records(2, 0, None, short, short, short, None)
    beyond = (0, None, (0).to_bytes(4, "little") + (9).to_bytes(4, "little"), b"1234")
    with pytest.raises(ValueError, match="within the column's bytes"):
        compiled.column_partitions(beyond, 1, 3)

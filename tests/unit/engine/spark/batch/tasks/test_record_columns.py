"""Both forms collect the same columns, and stop at the same outputs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.spark.batch.tasks.record_columns import (
    PlainRecordColumns,
    RecordColumns,
    add_outputs,
    batch_of,
    plain_add_outputs,
)


class Subclass(bytes):
    """As those of NumPy and of others."""


data = st.none() | st.binary(max_size=4) | st.builds(Subclass, st.binary(max_size=4))
outputs = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "log", "new"]),
        st.none() | st.integers(-1, 3),
        data,
        data,
        st.none() | st.integers(-5, 5),
        st.just(()) | st.just((("h", b"x"),)),
    ),
    max_size=20,
)


def places(kind: Any) -> dict[str, list[Any]]:
    return {"a": [kind(), kind(), None], "b": [kind()]}


def collected(kind: Any, add: Any, given: list[Any]) -> Any:
    """Return where the function stopped, and the columns that it had made in between."""
    into, stops, at = places(kind), [], 0
    while at < len(given):
        at, added = add(given, at, {"log"}, into)
        stops.append((at, added))
        at += 1
    columns = [one for topic in into.values() for one in topic if one is not None]
    counts = [one.rows for one in columns]
    taken = [batch_of(one.take()).to_pylist() for one in columns]
    return stops, counts, taken, [batch_of(one.take()).num_rows for one in columns]


@given(outputs)
def test_both_forms_collect_the_same(drawn: list[Any]) -> None:
    found = collected(RecordColumns, add_outputs, drawn)
    assert found == collected(PlainRecordColumns, plain_add_outputs, drawn)
    stops, counts, taken, _ = found
    logged = sum(1 for output in drawn if output[0] == "log")
    unusual = sum(1 for at, _ in stops if at < len(drawn))
    assert sum(counts) + unusual + logged == len(drawn)
    for rows in taken:
        ranks = [row["rank"] for row in rows]
        assert ranks == [max(row["timestamp"] for row in rows[: at + 1]) for at in range(len(rows))]


def test_the_rank_goes_on_after_a_batch() -> None:
    for kind in (RecordColumns, PlainRecordColumns):
        columns = kind()
        columns.append(b"k", None, 9)
        columns.take()
        columns.append(None, b"v", 3)
        expected = {"rank": 9, "timestamp": 3, "key": None, "value": b"v"}
        assert batch_of(columns.take()).to_pylist() == [expected]


@pytest.mark.parametrize("kind", [RecordColumns, PlainRecordColumns])
def test_what_is_no_bytes_is_named(kind: Any) -> None:
    with pytest.raises(TypeError, match="the key of a record must be bytes or None; got str"):
        kind().append("key", None, 1)
    with pytest.raises(TypeError, match="the value of a record must be bytes or None; got bytea"):
        kind().append(b"key", bytearray(b"value"), 1)

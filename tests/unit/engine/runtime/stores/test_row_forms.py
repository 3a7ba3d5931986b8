"""What the rows of each kind of store hold, and how they are restored."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from penstock import Headers, ValueTimestampHeaders, Windowed, serdes
from penstock._engine.runtime.records import RawRecord
from penstock._engine.runtime.stores.row_forms import changes_of, form_of
from penstock.stores import AggregationWithHeaders, StoreBuilder, Stores
from penstock.stores._builders import StoreKind
from tests.stores.bench import Bench
from tests.stores.engines import ENGINES

TEXT = serdes.string()
TRACE = Headers([("trace", b"1"), ("trace", None)])
RAW: list[RawRecord] = [
    (0, 5, b"a", b"x", (("trace", b"1"),)),
    (1, 6, None, b"no row", ()),
    (2, 7, b"b", None, (("trace", b"2"),)),
]
WITH_HEADERS: list[tuple[StoreBuilder, Any, Any]] = [
    (
        Stores.timestamped_key_value_store_with_headers("s", key=TEXT, value=TEXT),
        lambda store: store.put("k", ValueTimestampHeaders("x", 9, TRACE)),
        lambda store: store.get("k"),
    ),
    (
        Stores.timestamped_window_store_with_headers(
            "s", retention=100, window_size=10, key=TEXT, value=TEXT
        ),
        lambda store: store.put("k", ValueTimestampHeaders("x", 9, TRACE), 0),
        lambda store: store.fetch("k", 0),
    ),
    (
        Stores.session_store_with_headers("s", retention=100, key=TEXT, value=TEXT),
        lambda store: store.put(Windowed("k", 0, 9), AggregationWithHeaders("x", TRACE)),
        lambda store: store.fetch_session("k", 0, 9),
    ),
]


def test_only_the_kinds_of_that_name_keep_headers() -> None:
    for kind in get_args(StoreKind):
        assert form_of(kind).keeps_headers == kind.endswith("_with_headers")


def test_restored_records_have_their_headers_before_the_value_if_they_are_kept() -> None:
    assert changes_of(RAW, with_headers=False) == [(b"a", b"x", 5), (b"b", None, 7)]
    kept = changes_of(RAW, with_headers=True)
    assert kept == [(b"a", b"\x12\x02\x0atrace\x021x", 5), (b"b", None, 7)]


@pytest.mark.parametrize(
    ("builder", "put", "get"), WITH_HEADERS, ids=[builder.kind for builder, *_ in WITH_HEADERS]
)
def test_what_is_logged_restores_the_same_row(builder: StoreBuilder, put: Any, get: Any) -> None:
    bench = Bench(builder, ENGINES["memory"])
    put(bench.store.face)
    (record,) = bench.sent()
    _, _, key, value, timestamp, headers = record
    assert (value, headers) == (b"x", tuple(TRACE))
    again = Bench(builder, ENGINES["memory"])
    raw: RawRecord = (0, timestamp or 0, key, value, headers)
    again.store.restore(changes_of([raw], with_headers=True), 1)
    assert get(again.store.face) == get(bench.store.face)
    assert get(again.store.face).headers == TRACE
    assert get(again.store.values) == "x"

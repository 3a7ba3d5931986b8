"""A typed row has the same bytes in a bounded run and live."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pyarrow as pa
import pytest

from penstock import serdes
from penstock._engine.spark.batch.typed_cells import _encoding
from penstock._engine.spark.dataframes.sink_columns import SinkColumns
from penstock._engine.spark.shipping.shipping import dumps
from penstock.errors import StreamsError
from penstock.serdes import Serde
from penstock.settings import StreamsConfig

COUNTS = pa.map_(pa.string(), pa.int64())


class Order(msgspec.Struct, rename="camel"):
    order_id: int
    note: str | None = None


@dataclass
class Item:
    count: int


def bounded(serde: Serde[Any], column: pa.Array) -> list[bytes | None]:
    batch = pa.RecordBatch.from_arrays([column], names=["value"])
    (coded,) = _encoding(dumps({"value": serde}), "orders")([batch])
    data: list[bytes | None] = coded.column("value").to_pylist()
    return data


def live(serde: Serde[Any], column: pa.Array) -> list[bytes | None]:
    batch = pa.RecordBatch.from_arrays([column], names=["value"])
    return [record[3] for record in SinkColumns("orders", None, serde).records(batch)]


@pytest.mark.parametrize(
    ("serde", "column", "expected"),
    [
        (serdes.json(), pa.array([[("b", 1), ("a", 2)], None], COUNTS), [b'{"b":1,"a":2}', None]),
        (
            serdes.json(),
            pa.array([{"counts": [("a", 1)]}], pa.struct([("counts", COUNTS)])),
            [b'{"counts":{"a":1}}'],
        ),
        (serdes.json(Order), pa.array([{"orderId": 7}]), [b'{"orderId":7,"note":null}']),
        (serdes.json(Item), pa.array([{"count": 3}]), [b'{"count":3}']),
        (serdes.uuid(), pa.array([str(UUID(int=5))]), [str(UUID(int=5)).encode()]),
        (serdes.long(), pa.array([1, None]), [bytes(7) + b"\1", None]),
    ],
)
def test_a_typed_row_has_the_same_bytes_in_a_bounded_run_and_live(
    serde: Serde[Any], column: pa.Array, expected: list[bytes | None]
) -> None:
    assert bounded(serde, column) == live(serde, column) == expected


def test_a_windowed_key_is_written_in_a_bounded_run_as_live() -> None:
    given = serdes.time_windowed(serdes.string(), 60_000)
    # A topology's own serde is ready for use.
    of_topology = StreamsConfig({"application.id": "a"}).key_serde(given, "source")
    column = pa.array([{"key": "home", "start": 60_000, "end": 120_000}])
    for serde in (given, of_topology):
        assert bounded(serde, column) == live(serde, column)
        assert live(serde, column) == [b"home" + (60_000).to_bytes(8, "big")]


def test_a_cell_that_its_serde_cannot_write_names_its_place() -> None:
    column = pa.array([{"count": "three"}])
    with pytest.raises(StreamsError, match=r"^input 'orders': column 'value' cannot be written"):
        bounded(serdes.json(Item), column)
    with pytest.raises(StreamsError, match=r"^column 'value' of a row cannot be written with"):
        live(serdes.json(Item), column)


def at_noon(zone: str) -> pa.Array:
    """Return a cell of moments at all depths, as Spark hands them over in a session's zone."""
    time, naive = pa.timestamp("us", zone), pa.timestamp("us")
    at = datetime(2026, 1, 1, 12, tzinfo=UTC)
    cell = {"at": at, "local": at.replace(tzinfo=None), "all": [at], "by": [("a", {"at": at})]}
    inner = pa.map_(pa.string(), pa.struct([("at", time)]))
    return pa.array(
        [cell, None],
        pa.struct([("at", time), ("local", naive), ("all", pa.list_(time)), ("by", inner)]),
    )


def test_the_zone_of_the_session_is_not_in_the_bytes() -> None:
    noon = "2026-01-01T12:00:00"
    expected = (
        f'{{"at":"{noon}Z","local":"{noon}","all":["{noon}Z"],"by":{{"a":{{"at":"{noon}Z"}}}}}}'
    )
    for zone in ("UTC", "Etc/UTC", "Europe/Berlin", "+05:30"):
        column = at_noon(zone)
        assert bounded(serdes.json(), column) == live(serdes.json(), column)
        assert live(serdes.json(), column) == [expected.encode(), None], zone
    moments = at_noon("Europe/Berlin").slice(0, 1).field("at")
    assert live(serdes.json(), moments) == [f'"{noon}Z"'.encode()]

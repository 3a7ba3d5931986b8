"""Records as rows of typed columns."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from penstock import serdes
from penstock._engine.kafka.client.topic_history import Split
from penstock._engine.runtime.records import RawRecord
from penstock._engine.spark.batch.schemas import ARROW_HEADERS
from penstock._engine.spark.dataframes.rows import RecordRows, times
from penstock.errors import ConfigError, StreamsError
from penstock.serdes import Serde
from penstock.serdes.contract import HeaderPairs
from penstock.windowed import Windowed

SPLIT = Split("orders", 2, 0, 9)


@dataclass
class Order:
    item: str
    count: int


class ByTopic(serdes.string().__class__):  # type: ignore[misc]
    """A text serde that wants the topic and the headers."""

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> str | None:
        return None if data is None else f"{topic}/{data.decode()}/{len(headers)}"


def batch(rows: RecordRows, *records: RawRecord) -> list[dict[str, Any]]:
    made: pa.RecordBatch = rows.to_batch()(records, SPLIT, 0)
    return list(made.to_pylist())


def test_bytes_are_as_sparks_own_source_has_them() -> None:
    rows = RecordRows(headers=True)
    assert rows.schema() == (
        "key binary, value binary, topic string, partition int, offset bigint, "
        "timestamp timestamp, timestampType int, headers array<struct<key:string,value:binary>>"
    )
    first, second = batch(
        rows, (5, 1500, b"k", b"v", (("h", b"1"), ("n", None))), (6, -1, None, None, ())
    )
    assert first == {
        "key": b"k",
        "value": b"v",
        "topic": "orders",
        "partition": 2,
        "offset": 5,
        "timestamp": datetime(1970, 1, 1, 0, 0, 1, 500_000, UTC),
        "timestampType": 0,
        "headers": [{"key": "h", "value": b"1"}, {"key": "n", "value": None}],
    }
    assert (second["key"], second["value"], second["headers"]) == (None, None, [])


def test_serdes_make_typed_columns() -> None:
    rows = RecordRows(serdes.string(), serdes.json(Order))
    assert rows.schema().startswith("key string, value struct<`item`:string,`count`:bigint>, topic")
    (row, gone) = batch(rows, (0, 0, b"k", b'{"item":"tea","count":2}', ()), (1, 0, b"k", None, ()))
    assert (row["key"], row["value"]) == ("k", {"item": "tea", "count": 2})
    assert gone["value"] is None


def test_windowed_keys_are_structs() -> None:
    serde = serdes.time_windowed(serdes.string(), 10_000)
    rows = pickle.loads(pickle.dumps(RecordRows(serde, serdes.long())))
    assert rows.schema().startswith("key struct<key:string,start:timestamp,end:timestamp>, ")
    key = serde.encode(Windowed("k", 10_000, 20_000))
    (row,) = batch(rows, (0, 0, key, (7).to_bytes(8, "big"), ()))
    assert row["key"]["key"] == "k"
    assert row["key"]["end"] == datetime(1970, 1, 1, 0, 0, 20, tzinfo=UTC)
    assert row["value"] == 7


def test_a_windowed_serde_without_that_of_its_keys_is_refused() -> None:
    with pytest.raises(ConfigError, match="lacks the serde of its keys"):
        RecordRows(serdes.session_windowed(None)).schema()


def test_a_serde_sees_topic_and_headers() -> None:
    (row,) = batch(RecordRows(value=ByTopic()), (0, 0, None, b"v", (("h", None),)))
    assert row["value"] == "orders/v/1"


@pytest.mark.parametrize(
    ("serde", "data"),
    [(serdes.long(), b"short"), (serdes.json(Order), b'{"item":"a","count":%d}' % 2**70)],
)
def test_a_record_that_cannot_be_read_is_named(serde: Serde[Any], data: bytes) -> None:
    good = serde.encode(7 if serde == serdes.long() else Order("a", 1))
    with pytest.raises(StreamsError, match="topic 'orders', partition 2, offset 4: the value"):
        batch(RecordRows(value=serde), (3, 0, None, good, ()), (4, 0, None, data, ()))


def test_a_time_beyond_what_spark_knows_is_null() -> None:
    assert times([1000, 2**62]).to_pylist() == [datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), None]


def test_text_that_is_no_utf_8_is_read_as_its_serde_does() -> None:
    good, bad = (0, 5, b"a", "\u00e4".encode(), ()), (1, 6, None, b"x\xff\xed\xa0\x80", ())
    rows = RecordRows(serdes.string(), serdes.string(), headers=True).to_batch()
    alone = rows([good], Split("t", 0, 0, 1), 0)
    both = rows([good, bad], Split("t", 0, 0, 2), 0)
    assert alone["value"].to_pylist() == ["\u00e4"]
    assert both["key"].to_pylist() == ["a", None]
    assert both["value"].to_pylist() == ["\u00e4", serdes.string().decode(bad[3])]
    assert both.schema == alone.schema
    assert both["headers"].to_pylist() == [[], []]
    assert both["headers"].type == ARROW_HEADERS

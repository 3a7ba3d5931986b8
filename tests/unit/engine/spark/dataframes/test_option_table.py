"""The options of the formats: in one table, shown by the documentation, checked before a cluster is
asked.
"""

from __future__ import annotations

import pickle
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql.types import (
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)

from penstock._engine.spark.dataframes.option_table import OPTIONS, check_use, own_options
from penstock._engine.spark.dataframes.source import TopicSource
from penstock._engine.spark.dataframes.stream_reader import TopicStreamReader
from penstock._engine.spark.state import source
from penstock._engine.spark.state.source import StateSource
from penstock.errors import ConfigError, StreamsError
from tests.docs.blocks import DOCS

ROWS = StructType().add("value", StringType())
USES = ("read", "readStream", "write", "state")


def read(options: dict[str, str]) -> Any:
    return TopicSource(options).reader(None)


def read_stream(options: dict[str, str]) -> Any:
    reader: Any = TopicSource(options).streamReader(None)
    return reader.initialOffset()


def read_available(options: dict[str, str]) -> Any:
    reader: Any = TopicSource(options).streamReader(None)
    return reader.prepareForTriggerAvailableNow()


def write(options: dict[str, str]) -> Any:
    return TopicSource(options).writer(ROWS, overwrite=False)


def write_stream(options: dict[str, str]) -> Any:
    return TopicSource(options).streamWriter(ROWS, overwrite=False)


def read_state(options: dict[str, str]) -> Any:
    return StateSource(options).schema()


@pytest.fixture
def cluster() -> Iterator[socket.socket]:
    """Yield what listens where the options say that the cluster is."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


TOPIC = {"topic": "a"}
STORE = {"application": "a", "store": "b"}


@pytest.mark.parametrize(
    ("use", "options", "message"),
    [
        (read_available, {**TOPIC, "endingoffsets": "latest"}, "a stream has no end"),
        (read_stream, {**TOPIC, "endingtimestamp": "5"}, "a stream has no end"),
        (read_available, {**TOPIC, "startingoffsets": "now"}, "must be earliest, latest, or"),
        (read, {**TOPIC, "maxoffsetspertrigger": "5"}, "is for streams"),
        (read, {**TOPIC, "until": "0:5"}, "'until' is for spark.read.format('penstock-state')"),
        (read, {**TOPIC, "topc": "a"}, "topc"),
        (read, {"assign": '{"a":[0]}'}, "'assign' is one of Spark's own Kafka source, and not of"),
        (read, {**TOPIC, "minpartitions": "9"}, "option('maxRecordsPerPartition', ...) has more"),
        (read, {**TOPIC, "startingoffsetsbytimestamp": "{}"}, "option('startingTimestamp', ...)"),
        (read_stream, {**TOPIC, "minoffsetspertrigger": "9"}, "waits for larger batches"),
        (read, {**TOPIC, "headers": "true"}, "'headers' is not known; it is called 'includeHead"),
        (read, {**TOPIC, "starting": "earliest"}, "it is called 'startingOffsets'"),
        (read, {**TOPIC, "kafka.auto.offset.reset": "earliest"}, "has no effect: where a read"),
        (read_stream, {**TOPIC, "consumer.auto.offset.reset": "latest"}, "has no effect: where"),
        (read, {**TOPIC, "kafka.isolation.level": "read_uncommitted"}, "must be read_committed"),
        (read, {"path": "orders"}, "got 'orders'; say option('topic', 'orders')"),
        (write, {**TOPIC, "path": "other"}, "got 'other'; say option('topic', 'other')"),
        (write, {"topic": "a topic"}, "'a topic' can be no topic"),
        (write, {**TOPIC, "startingoffsets": "latest"}, "'startingOffsets' is for spark.read."),
        (write_stream, {**TOPIC, "afterpartialwrite": "hope"}, "must be 'refuse' or 'again'"),
        (write_stream, {**TOPIC, "valuetype": "strong"}, "did you mean 'string'"),
        (read_state, {**STORE, "until": "5"}, "must look like 0:1200"),
        (read_state, {**STORE, "keytype": "strong"}, "did you mean 'string'"),
        (read_state, {**STORE, "topic": "a"}, "not for spark.read.format('penstock-state')"),
        (read_state, {"application": "a"}, "needs option('store', ...)"),
    ],
)
def test_a_wrong_option_is_refused_before_the_cluster_is_asked(
    use: Callable[[dict[str, str]], Any],
    options: dict[str, str],
    message: str,
    cluster: socket.socket,
) -> None:
    host, port = cluster.getsockname()
    with pytest.raises(ConfigError, match=re.escape(message)):
        use({**options, "bootstrap.servers": f"{host}:{port}"})
    with pytest.raises(BlockingIOError):
        cluster.accept()


RECORDS = (
    "key binary, value struct<id:bigint>, topic string, partition int, offset bigint, "
    "timestamp timestamp, timestampType int"
)


def columns(text: str) -> StructType:
    """Return columns of the types in `text`; Spark's own parser needs a session."""
    types = {
        "string": StringType(),
        "binary": BinaryType(),
        "int": IntegerType(),
        "bigint": LongType(),
        "timestamp": TimestampType(),
        "struct<id:bigint>": StructType().add("id", LongType()),
    }
    made = StructType()
    for column in text.split(", "):
        name, type_ = column.split(" ", 1)
        made = made.add(name, types[type_])
    return made


def test_columns_of_the_user_are_refused_unless_they_are_ours(cluster: socket.socket) -> None:
    host, port = cluster.getsockname()
    options = {**TOPIC, "bootstrap.servers": f"{host}:{port}", "keytype": "string"}
    given = columns(RECORDS)
    message = re.escape(
        "are not taken from .schema(...): they are key string, value binary, topic string, "
    )
    with pytest.raises(StreamsError, match=message + ".*; got key binary, value struct<id:bigint>"):
        TopicSource(options).reader(given)
    refusing: Any = TopicSource(options).streamReader(given)
    for call in (refusing.initialOffset, refusing.latestOffset, refusing.partitions):
        with pytest.raises(
            StreamsError, match=r"or penstock\.spark\.read_stream with value=serdes"
        ):
            call({}, {})
    ours = columns(
        RECORDS.replace("key binary", "key string").replace("struct<id:bigint>", "binary")
    )
    assert isinstance(TopicSource(options).streamReader(ours), TopicStreamReader)
    with pytest.raises(BlockingIOError):
        cluster.accept()


def test_all_jobs_of_a_store_read_what_its_columns_were_planned_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans = iter(range(1, 9))
    monkeypatch.setattr(source, "scan_of_options", lambda _: Planned(next(plans)))
    asked = StateSource(STORE)
    assert asked.schema() == "`partition` int, `key` string"
    arrived: Any = pickle.loads(pickle.dumps(asked))
    for _ in range(2):
        reader: Any = arrived.reader(columns("partition int, key string"))
        assert [one.value for one in reader.partitions()] == [1]
    given = StateSource(STORE)
    assert [one.value for one in given.reader(columns("partition int, key string")).partitions()]
    with pytest.raises(StreamsError, match=r"they are partition int, key string; got key string;"):
        StateSource(STORE).reader(columns("key string"))


class Planned:
    """A read of a store whose partition says when it was planned."""

    def __init__(self, number: int) -> None:
        self.partitions = [number]

    def schema(self) -> str:
        return "`partition` int, `key` string"


def test_the_page_shows_the_table() -> None:
    text, _, _ = (DOCS / "spark" / "options.md").read_text().partition("They are checked")
    rows = [
        f"| `{one.name}` | {' | '.join('yes' if use in one.uses else '' for use in USES)} | "
        f"{one.takes} |".replace("|  |", "| |").replace("|  |", "| |")
        for one in OPTIONS
    ]
    assert [row for row in text.splitlines() if row.startswith("| `")] == rows


def test_what_spark_hands_over_is_no_setting() -> None:
    check_use({"path": "file:/warehouse/orders"}, "write")
    check_use({"isolation.level": "read_committed"}, "read")
    assert {"path", "checkpointlocation", "queryname", "topic"} <= own_options("write")
    assert "checkpointlocation" not in own_options("read", "readStream")

"""The streaming source on a real broker, without Spark's JVM: its methods as Spark calls them.

A query is a `TopicStreamReader`; one that was restarted is another, with the documents of the
checkpoint. Spark itself is in tests/spark/test_topics.py.
"""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic  # type: ignore[attr-defined]
from pyspark.sql.datasource import InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows

from penstock._clock import ManualClock
from penstock._engine.kafka.client import topic_history, topic_offsets
from penstock._engine.kafka.client.admin_calls import until
from penstock._engine.kafka.client.topic_offsets import TopicChoice
from penstock._engine.kafka.client.topics import describe_topics
from penstock._engine.spark.dataframes import stream_reader
from penstock._engine.spark.dataframes.offsets import Document
from penstock._engine.spark.dataframes.request import ReadRequest
from penstock._engine.spark.dataframes.stream_reader import TopicStreamReader
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

FOREVER = {"retention.ms": "-1"}
ALL = ReadAllAvailable()


class Query:
    """One run of a query: what Spark does with a reader."""

    def __init__(self, reader: TopicStreamReader, at: Document | None = None) -> None:
        self.reader = reader
        self.at: Document = reader.initialOffset() if at is None else at
        self.log: list[tuple[Document, Document]] = []

    def batch(self, limit: ReadLimit = ALL) -> list[str]:
        """Run the next batch; return its values."""
        end = _stored(self.reader.latestOffset(self.at, limit))
        self.log.append((self.at, end))
        values = self.read(self.at, end)
        self.at = end
        return values

    def read(self, start: Document, end: Document) -> list[str]:
        """Run a batch that was planned; return its values, sorted by partition and offset."""
        worker = pickle.loads(pickle.dumps(self.reader))
        rows = [
            row
            for part in self.reader.partitions(start, end)
            for rows in worker.read(pickle.loads(pickle.dumps(part)))
            for row in rows.to_pylist()
        ]
        rows.sort(key=lambda row: (row["topic"], row["partition"], row["offset"]))
        return [(row["value"] or b"-").decode() for row in rows]


def _stored(document: Document) -> Document:
    """Return what a checkpoint has of a document."""
    return dict(json.loads(json.dumps(document)))


Open = Callable[..., Query]


@pytest.fixture
def open_query(kafka_broker: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Return what opens a query on topics; `at` is the offset of its checkpoint."""
    monkeypatch.setattr(stream_reader, "_SETTLING_SECONDS", 0.3)
    config = StreamsConfig(
        {
            "application.id": "streamed",
            "bootstrap.servers": kafka_broker.bootstrap_servers,
            "state.dir": str(tmp_path),
        }
    )

    def open_(*topics: str, at: Document | None = None, **more: Any) -> Query:
        choice = more.pop("choice", TopicChoice(topics))
        return Query(TopicStreamReader(ReadRequest(choice, **more), config), at)

    return open_


@pytest.fixture
def write(kafka_broker: LocalBroker) -> Callable[..., None]:
    """Return what writes values to a partition of a topic."""
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})

    def write_(topic: str, *values: str | None, partition: int = 0, key: str | None = "k") -> None:
        for value in values:
            producer.produce(topic, value, key, partition, on_delivery=_check_delivery)
        assert producer.flush(30) == 0, f"{topic} did not take all records in 30 s"

    return write_


def _check_delivery(error: KafkaError | None, _: object) -> None:
    if error is not None:
        raise KafkaException(error)


@pytest.fixture
def admin(kafka_broker: LocalBroker) -> AdminClient:
    return AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})


def test_batches_follow_each_other_and_a_replay_is_the_same(
    open_query: Open, write: Any, kafka_topic: CreateTopic
) -> None:
    first, second = kafka_topic("s-a", 2, FOREVER), kafka_topic("s-b", 1, FOREVER)
    write(first, "old")
    query = open_query(first, second)
    write(first, "a0")
    write(first, "b0", partition=1)
    write(second, "c0")
    assert query.batch() == ["a0", "b0", "c0"]
    assert query.batch() == []
    assert query.log[1][1] == query.log[1][0]
    write(first, "a1")
    assert query.batch() == ["a1"]
    write(first, "a2")

    again = open_query(first, second, at=query.log[0][1])
    assert again.read(*query.log[0]) == ["a0", "b0", "c0"]
    assert again.read(*query.log[2]) == ["a1"]
    assert again.reader.reportLatestOffset() is not None


def test_a_first_batch_that_is_run_again_begins_where_it_began(
    open_query: Open, write: Any, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("s-first", 1, FOREVER)
    write(topic, "before")
    query = open_query(topic)
    write(topic, "one")
    end = _stored(query.reader.latestOffset(query.at, ALL))  # logged, then the driver dies
    write(topic, "two")

    after = open_query(topic)
    assert after.read(after.at, end) == ["one"]
    after.at = end
    assert after.batch() == ["two"]


def test_only_committed_records_up_to_the_last_stable_offset(
    open_query: Open, write: Any, kafka_topic: CreateTopic, kafka_broker: LocalBroker
) -> None:
    topic = kafka_topic("s-tx", 1, FOREVER)
    servers = kafka_broker.bootstrap_servers
    producer = Producer({"bootstrap.servers": servers, "transactional.id": topic})
    producer.init_transactions()
    query = open_query(topic, starting="earliest")
    for number, end in enumerate((producer.abort_transaction, producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce(topic, f"t{number}")
        producer.flush()
        if number == 0:
            assert query.batch() == []
        end()
    producer.begin_transaction()
    producer.produce(topic, "open")
    producer.flush()
    write(topic, "behind the open one")
    # 0 aborted, 1 its marker, 2 committed, 3 its marker, 4 open.
    assert query.batch(ReadMaxRows(2)) == []
    assert query.at[topic] == {"0": 2}
    assert query.batch() == ["t1"]
    assert query.at[topic] == {"0": 4}
    producer.commit_transaction()
    # The end of a transaction is written a moment after the producer was told so.
    assert _next(query) == ["open", "behind the open one"]


def test_a_limit_holds_and_available_now_ends(
    open_query: Open, write: Any, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("s-limit", 2, FOREVER)
    write(topic, *[f"a{number}" for number in range(9)])
    write(topic, "b0", partition=1)
    query = open_query(topic, starting="earliest", max_offsets_per_trigger=4)
    limit = query.reader.getDefaultReadLimit()
    assert limit == ReadMaxRows(4)
    assert open_query(topic).reader.getDefaultReadLimit() == ALL
    query.reader.prepareForTriggerAvailableNow()
    write(topic, "later")
    seen: list[str] = []
    for _ in range(10):
        batch = query.batch(limit)
        assert len(batch) <= 5
        if query.log[-1][0] == query.log[-1][1]:
            break
        seen += batch
    assert sorted(seen) == [*[f"a{number}" for number in range(9)], "b0"]
    assert open_query(topic, at=query.at).batch() == ["later"]


def test_new_partitions_and_new_topics_are_found(
    open_query: Open, write: Any, kafka_topic: CreateTopic, admin: AdminClient
) -> None:
    topic = kafka_topic("s-grow", 1, FOREVER)
    prefix = topic.replace("s-grow", "s-pattern")
    query = open_query(topic)
    pattern = open_query(choice=TopicChoice(pattern=f"{prefix}.*"))
    assert pattern.batch() == []
    _add_partition(admin, topic)
    for future in admin.create_topics([_new_topic(f"{prefix}-late")]).values():
        future.result(30)
    write(topic, "new", partition=1)
    write(f"{prefix}-late", "late")
    assert _next(query) == ["new"]
    assert _next(pattern) == ["late"]


def test_a_new_partition_is_replayed_from_where_it_began(
    open_query: Open, write: Any, kafka_topic: CreateTopic, admin: AdminClient
) -> None:
    topic = kafka_topic("s-regrow", 1, FOREVER)
    query = open_query(topic)
    assert query.batch() == []
    _add_partition(admin, topic)
    write(topic, "a", "b", "c", partition=1)
    assert _next(query) == ["a", "b", "c"]
    batch = query.log[-1]
    assert open_query(topic, at=batch[0]).read(*batch) == ["a", "b", "c"]
    for future in admin.delete_records([TopicPartition(topic, 1, 2)]).values():
        future.result(30)
    with pytest.raises(StreamsError, match="partition 1: the offsets 0 to 1 were deleted"):
        open_query(topic, at=batch[0]).read(*batch)
    lenient = open_query(topic, at=batch[0], fail_on_data_loss=False)
    assert lenient.read(*batch) == ["c"]


def test_records_that_were_deleted_are_a_loss(
    open_query: Open,
    write: Any,
    kafka_topic: CreateTopic,
    admin: AdminClient,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic = kafka_topic("s-lost", 1, FOREVER)
    write(topic, "a", "b", "c", "d")
    strict = open_query(topic, starting="earliest")
    lenient = open_query(topic, starting="earliest", fail_on_data_loss=False)
    parts = lenient.reader.partitions(lenient.at, lenient.reader.latestOffset(lenient.at, ALL))
    for future in admin.delete_records([TopicPartition(topic, 0, 2)]).values():
        future.result(30)
    with pytest.raises(StreamsError, match=r"offsets 0 to 1 were deleted; .*fail_on_data_loss"):
        strict.batch()
    with caplog.at_level(logging.WARNING):
        assert lenient.batch() == ["c", "d"]
        assert "the query goes on with what there is" in caplog.text
        # Deleted when the Spark tasks were planned already.
        late = [
            row["value"]
            for part in parts
            for rows in lenient.reader.read(part)
            for row in rows.to_pylist()
        ]
        assert late == [b"c", b"d"]
        assert "reading goes on at 2" in caplog.text
    with pytest.raises(StreamsError, match="offset 0 was deleted before it was read"):
        list(strict.reader.read(parts[0]))


def test_a_topic_that_was_made_anew_is_a_loss(
    open_query: Open, write: Any, kafka_topic: CreateTopic, admin: AdminClient
) -> None:
    topic, other = kafka_topic("s-anew", 1, FOREVER), kafka_topic("s-stays", 1, FOREVER)
    write(topic, "a", "b")
    query = open_query(topic, other, starting="earliest", fail_on_data_loss=False)
    strict = open_query(topic, other, starting="earliest")
    assert query.batch() == strict.batch() == ["a", "b"]
    _delete(admin, topic)
    write(other, "x")
    assert _next(query) == ["x"]
    with pytest.raises(StreamsError, match="partition 0: it was deleted"):
        strict.batch()
    _make(admin, topic)
    write(topic, "c", "d", "e")
    assert _next(query) == ["c", "d", "e"]
    with pytest.raises(StreamsError, match="the topic was deleted and made anew"):
        open_query(topic, other, at=strict.at).batch()


def test_a_topic_that_is_not_seen_for_a_while_is_not_read_again(
    open_query: Open,
    write: Any,
    kafka_topic: CreateTopic,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    topic, other = kafka_topic("s-hidden", 1, FOREVER), kafka_topic("s-seen", 1, FOREVER)
    write(topic, "a", "b")
    query = open_query(topic, other, starting="earliest", fail_on_data_loss=False)
    assert query.batch() == ["a", "b"]
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):

        def describe_others(*given: Any) -> dict[str, Any]:
            found = describe_topics(*given)
            return {name: one for name, one in found.items() if name != topic}

        patch.setattr(topic_offsets, "describe_topics", describe_others)
        query.reader._topics.refresh()
        for value in ("x", "y"):
            write(other, value)
            assert _next(query) == [value]
        assert caplog.text.count("partition 0: it was deleted") == 1
    write(topic, "c")
    query.reader._topics.refresh()
    assert _next(query) == ["c"]


def test_a_topic_of_a_pattern_that_was_deleted_is_forgotten_after_a_day(
    open_query: Open,
    write: Any,
    kafka_topic: CreateTopic,
    admin: AdminClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a query that is started again and again, as with availableNow."""
    other, topic = kafka_topic("s-daily", 1, FOREVER), kafka_topic("s-daily", 1, FOREVER)
    write(topic, "a")
    choice = TopicChoice(pattern=f"{other}|{topic}")
    given = {"choice": choice, "starting": "earliest", "fail_on_data_loss": False}
    query = open_query(**given)
    assert query.batch() == ["a"]
    _delete(admin, topic)
    for hours, is_known in ((0, True), (23, True), (24, False), (25, False)):
        clock = partial(ManualClock, hours * 60 * 60 * 1000)
        monkeypatch.setattr(stream_reader, "SystemClock", clock)
        query = open_query(at=query.at, **given)
        write(other, "x")
        assert _next(query) == ["x"]
        assert (topic in query.at, topic in str(query.at)) == (is_known, is_known)


def test_a_pattern_matches_no_journal_of_a_sink(
    open_query: Open, write: Any, kafka_topic: CreateTopic, kafka_broker: LocalBroker
) -> None:
    topic = kafka_topic("s-journal", 1, FOREVER)
    journal = f"penstock-sink-{topic}-journal"
    kafka_broker.create_topic(journal, 1)
    write(journal, "noted")
    choice = TopicChoice(pattern=f".*{topic}.*")
    before = open_query(choice=TopicChoice((topic, journal)), starting="earliest")
    assert before.batch() == ["noted"]
    queries = open_query(choice=choice), open_query(choice=choice, at=before.at)
    write(topic, "a")
    for query in queries:
        assert _next(query) == ["a"]
        assert journal not in query.at


def test_a_batch_is_not_replayed_from_a_topic_that_was_made_anew(
    open_query: Open, write: Any, kafka_topic: CreateTopic, admin: AdminClient
) -> None:
    topic, other = kafka_topic("s-replaced", 1, FOREVER), kafka_topic("s-kept", 1, FOREVER)
    write(topic, "a", "b")
    write(other, "x")
    query = open_query(topic, other, starting="earliest")
    end = _stored(query.reader.latestOffset(query.at, ALL))  # logged, then the driver dies
    _delete(admin, topic)
    _make(admin, topic)
    write(topic, "c", "d", "e")
    after = open_query(topic, other)
    for run in (after, query):
        with pytest.raises(StreamsError, match="0: the topic was deleted and made anew"):
            run.read(query.at, end)
    lenient = open_query(topic, other, at=query.at, fail_on_data_loss=False)
    assert lenient.read(query.at, end) == lenient.read(query.at, end) == ["x"]
    lenient.at = end
    assert lenient.batch() == ["c", "d", "e"]
    # The batch of the new topic says where it began there.
    assert open_query(topic, other).read(*lenient.log[0]) == ["c", "d", "e"]


def test_a_table_has_no_records_without_a_key(
    open_query: Open, write: Any, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("s-table", 1, FOREVER)
    write(topic, "a", None)
    write(topic, "no key", key=None)
    assert open_query(topic, table=True).batch() == ["a", "-"]


def test_a_topic_without_records_has_no_rows(open_query: Open, kafka_topic: CreateTopic) -> None:
    query = open_query(kafka_topic("s-empty"), starting="earliest")
    assert query.batch() == []
    # Spark plans a partition of its own for a read that has none.
    assert list(query.reader.read(InputPartition(None))) == []


def test_a_topic_that_is_deleted_while_it_is_read_is_not_waited_for_for_ever(
    open_query: Open,
    write: Any,
    kafka_topic: CreateTopic,
    admin: AdminClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(topic_history, "_SILENT_SECONDS", 2.0)
    topic = kafka_topic("s-vanished", 1, FOREVER)
    write(topic, "a")
    query = open_query(topic, starting="earliest")
    (part,) = query.reader.partitions(query.at, query.reader.latestOffset(query.at, ALL))
    _delete(admin, topic)
    with pytest.raises(StreamsError, match=f"topic '{topic}', partition 0 cannot be read"):
        list(query.reader.read(part))


def test_a_topic_that_does_not_exist_is_an_error(open_query: Open) -> None:
    with pytest.raises(StreamsError, match="missing: 's-none'"):
        open_query("s-none").batch()


def test_starts_can_be_moments_and_offsets(
    open_query: Open, write: Any, kafka_topic: CreateTopic
) -> None:
    topic = kafka_topic("s-start", 1, FOREVER)
    write(topic, "a", "b", "c")
    assert open_query(topic, starting={topic: {0: 2}}).batch() == ["c"]
    assert open_query(topic, starting={topic: {0: -2}}).batch() == ["a", "b", "c"]
    assert open_query(topic, starting={topic: {0: -1}}).batch() == []
    assert open_query(topic, starting=1).batch() == ["a", "b", "c"]
    assert open_query(topic, starting=2**41).batch() == []
    with pytest.raises(StreamsError, match="has the committed offsets 0 to 3"):
        open_query(topic, starting={topic: {0: 9}}).batch()


def _next(query: Query) -> list[str]:
    """Run batches until one has rows."""
    seen: list[list[str]] = []

    def has_rows() -> bool:
        seen.append(query.batch())
        return bool(seen[-1])

    assert until(has_rows, 30), "no batch had rows"
    return seen[-1]


def _new_topic(name: str) -> Any:
    return NewTopic(name, 1, 1, config=dict(FOREVER))


def _add_partition(admin: AdminClient, topic: str) -> None:
    """Add a second partition, and wait until it is there."""
    for future in admin.create_partitions([NewPartitions(topic, 2)]).values():
        future.result(30)
    found = admin.list_topics
    assert until(lambda: len(found(timeout=10).topics[topic].partitions) == 2, 30), (
        f"{topic} has no second partition"
    )


def _delete(admin: AdminClient, topic: str) -> None:
    """Delete a topic, and wait until it is gone."""
    for future in admin.delete_topics([topic]).values():
        future.result(30)
    gone = until(lambda: topic not in admin.list_topics(timeout=10).topics, 30)
    assert gone, f"{topic} is still there"


def _make(admin: AdminClient, topic: str) -> None:
    """Make a topic, and wait until it is there."""
    assert until(lambda: _is_made(admin, topic), 30), f"{topic} cannot be made"
    made = until(lambda: topic in admin.list_topics(timeout=10).topics, 30)
    assert made, f"{topic} is not there"


def _is_made(admin: AdminClient, topic: str) -> bool:
    """Make a topic; the broker may still be deleting that of the same name."""
    try:
        admin.create_topics([_new_topic(topic)])[topic].result(30)
    except Exception:
        return False
    return True

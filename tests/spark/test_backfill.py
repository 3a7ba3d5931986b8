"""A Spark job gives an application its past; the live one goes on as if it had always been live."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession

from penstock import (
    Consumed,
    KafkaStreams,
    Materialized,
    Produced,
    State,
    StreamsBuilder,
    Topology,
    cli,
    serdes,
)
from penstock import spark as streams
from penstock._engine.spark.batch.backfill import BackfillReport
from penstock.errors import StreamsError
from penstock.testing.broker import LocalBroker
from tests.broker.applications import PATIENCE_SECONDS
from tests.spark.backfill_live import Site, go_through, make_topics, read_updates
from tests.spark.stateful_restart import backfilled, driven

pytestmark = pytest.mark.slow

TEXT, LONG = serdes.string(), serdes.long()


SAMPLE = ["until-close", "foreign-key", "global", "stream-stream-outer"]
"""All of them, without Spark: tests/broker/test_backfill_programs.py."""


def test_stateful_verbs_go_on_as_if_they_had_been_live(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path: Path
) -> None:
    got = backfilled(SAMPLE, spark, kafka_broker.bootstrap_servers, tmp_path)

    for name in SAMPLE:
        assert got[name] == driven(name)[name], name


class InSession(Site):
    """Commands that are to end well run here, in the session of the tests; those that are killed
    have processes of their own. (All in processes of their own: `make backfill`.)
    """

    def run(self, *words: str, environment: Mapping[str, str] | None = None) -> int:
        assert environment is None
        return cli.main(self.words(*words))


@pytest.mark.usefixtures("spark")
def test_a_backfill_that_is_killed_and_run_again_leaves_each_record_once(
    kafka_broker: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # the command adds the program's folder
    make_topics(kafka_broker)
    site = InSession(kafka_broker.bootstrap_servers, tmp_path)
    # Enough for two transactions of each task.
    for topic, (got, wanted) in go_through(site, 24_000).items():
        assert got == wanted, topic


class Counting:
    """Words of a topic and how often each was said; with `through`, by way of a topic of the
    user's.
    """

    def __init__(self, broker: LocalBroker, name: str, *, through: bool = False) -> None:
        self._servers, self.name, self._through = broker.bootstrap_servers, name, through
        self.source, self.between, self.out = (
            f"{name}-{part}" for part in ("in", "between", "out")
        )
        for topic in (self.source, self.between, self.out):
            broker.create_topic(topic, 2, {"retention.ms": "-1"})

    def draw(self, builder: StreamsBuilder) -> None:
        words = builder.stream(self.source, Consumed(TEXT, TEXT))
        if self._through:
            words.to(self.between, Produced(TEXT, TEXT))
            words = builder.stream(self.between, Consumed(TEXT, TEXT))
        counts = words.group_by_key().count(Materialized(f"{self.name}-counts", TEXT, LONG))
        counts.to_stream().to(self.out, Produced(TEXT, LONG))

    def say(self, words: str, first_time: int = 1000) -> None:
        producer = Producer({"bootstrap.servers": self._servers})
        for number, word in enumerate(words.split()):
            partition = ord(word) % 2
            producer.produce(self.source, word, word, partition, timestamp=first_time + number)
        producer.flush()

    def written(self) -> dict[str, list[object]]:
        return dict(read_updates(self._servers, self.out))


def topology_of(*countings: Counting) -> Topology:
    builder = StreamsBuilder()
    for counting in countings:
        counting.draw(builder)
    return builder.build()


def config_of(application_id: str, broker: LocalBroker, state: Path) -> dict[str, Any]:
    return {
        "application.id": application_id,
        "bootstrap.servers": broker.bootstrap_servers,
        "state.dir": str(state),
        "processing.guarantee": "exactly_once_v2",
        "statestore.cache.max.bytes": 0,
        # A live run that has nothing left to do ends with its turn.
        "penstock.turn.ms": 2000,
    }


@dataclass(frozen=True)
class Handover:
    """What was seen of an application that was backfilled and then live."""

    report: BackfillReport
    by_job: dict[str, dict[str, list[object]]]
    """What each counting had written after the backfill."""
    refusal: str
    """What a second backfill was told."""
    in_the_end: dict[str, dict[str, list[object]]]
    """What each counting had written after the live run."""


@pytest.fixture(scope="module")
def handover(
    kafka_broker: LocalBroker, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Handover:
    """Backfill one application from an archive, from a whole topic and from a part of one:
    three programs side by side, since starting is what takes long.
    """
    folder = tmp_path_factory.mktemp("handover")
    config = config_of("handover", kafka_broker, folder / "state")
    archived, cut = Counting(kafka_broker, "archived"), Counting(kafka_broker, "cut")
    through, typed = (
        Counting(kafka_broker, "through", through=True),
        Counting(kafka_broker, "typed"),
    )
    countings, archive = (archived, cut, through, typed), str(folder / "archive")

    def written() -> dict[str, dict[str, list[object]]]:
        return {counting.name: counting.written() for counting in countings}

    archived.say("a b a c a")
    streams.history(archived.source, config, spark=spark).write.parquet(archive)
    archived.say("b a", first_time=2000)
    cut.say("a a a a")
    through.say("a b a")
    rows = spark.createDataFrame([("a", "v", 1)] * 2, "key string, value string, timestamp long")
    report = streams.backfill(
        topology_of(*countings),
        config,
        inputs={archived.source: archive, typed.source: streams.Typed(rows, key=serdes.json(str))},
        live_from={typed.source: "earliest"},
        until={cut.source: {0: 0, 1: 2}},
        spark=spark,
    )
    by_job = written()
    with pytest.raises(StreamsError) as refused:
        streams.backfill(topology_of(*countings), config, spark=spark)
    through.say("a b", first_time=2000)
    application = KafkaStreams(topology_of(*countings), config, spark=spark)
    application.start(available_now=True)
    assert application.wait_until(State.NOT_RUNNING, PATIENCE_SECONDS * 2000)
    return Handover(report, by_job, str(refused.value), written())


def test_an_archive_with_offsets_says_where_to_go_on(handover: Handover) -> None:
    assert handover.report.ends["archived-in"] == {0: 1, 1: 4}
    assert handover.by_job["archived"] == {"a": [1, 2, 3], "b": [1], "c": [1]}
    assert handover.in_the_end["archived"] == {"a": [1, 2, 3, 4], "b": [1, 2], "c": [1]}


def test_history_can_end_at_offsets(handover: Handover) -> None:
    assert handover.report.ends["cut-in"] == {0: 0, 1: 2}
    assert handover.by_job["cut"] == {"a": [1, 2]}
    assert handover.in_the_end["cut"] == {"a": [1, 2, 3, 4]}


def test_typed_rows_are_written_by_the_serdes_they_were_given(handover: Handover) -> None:
    assert handover.by_job["typed"] == {'"a"': [1, 2]}


def test_what_goes_through_a_topic_of_the_user_s_is_not_read_again(handover: Handover) -> None:
    assert handover.by_job["through"] == {"a": [1, 2], "b": [1]}
    assert handover.in_the_end["through"] == {"a": [1, 2, 3], "b": [1, 2]}


def test_an_application_that_has_been_backfilled_is_refused(handover: Handover) -> None:
    assert "it has run before" in handover.refusal


@pytest.fixture(scope="module")
def refused(kafka_broker: LocalBroker) -> Counting:
    """Return a program that does what its argument says wrong."""
    return Counting(kafka_broker, "not-to-be-filled")


@pytest.fixture
def config(kafka_broker: LocalBroker, tmp_path: Path) -> dict[str, Any]:
    return config_of("not-to-be-filled", kafka_broker, tmp_path)


@pytest.mark.parametrize(
    ("wishes", "told"),
    [
        ({"inputs": {"elsewhere": "x"}}, "does not read 'elsewhere'"),
        ({"live_from": {"not-to-be-filled-in": "earliest"}}, "is read from Kafka"),
        ({"inputs": {"not-to-be-filled-in": "/no/such/file"}}, "cannot be read from"),
    ],
)
def test_wishes_that_do_not_fit_are_refused(
    refused: Counting, config: dict[str, Any], spark: SparkSession, wishes: Any, told: str
) -> None:
    with pytest.raises(StreamsError, match=told):
        streams.backfill(topology_of(refused), config, spark=spark, **wishes)


def test_a_history_whose_last_rows_were_left_out_is_refused(
    kafka_broker: LocalBroker, config: dict[str, Any], spark: SparkSession
) -> None:
    filtered = Counting(kafka_broker, "filtered")
    filtered.say("a a a")
    rows = streams.history(filtered.source, config, spark=spark).where("offset < 1")
    with pytest.raises(StreamsError, match="up to offset 3, its rows end at 1"):
        streams.backfill(topology_of(filtered), config, inputs={filtered.source: rows}, spark=spark)


def test_what_fails_in_user_code_is_told_and_can_be_gone_on_with(
    refused: Counting, config: dict[str, Any], spark: SparkSession
) -> None:
    refused.say("a b")

    def failing() -> Topology:
        builder = StreamsBuilder()
        words = builder.stream(refused.source, Consumed(TEXT, TEXT))
        words.map_values(lambda word: 1 // (word != "b")).to(refused.out, Produced(TEXT, LONG))
        return builder.build()

    with pytest.raises(StreamsError, match="ZeroDivisionError"):
        streams.backfill(failing(), config, spark=spark)
    with pytest.raises(StreamsError, match="has begun with another program"):
        streams.backfill(topology_of(refused), config, spark=spark)
    report = streams.backfill(topology_of(refused), config, reset=True, spark=spark)
    assert (report.records_in, report.resumed) == (2, False)
    # What the task beside the failed one had written stays.
    written = refused.written()
    assert (written["b"], set(written["a"])) == ([1], {1})

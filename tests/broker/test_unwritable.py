"""Topics that are missing, and what may not be written: the application says which, who and why."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from penstock import Consumed, Produced, RecordContext, StreamsBuilder, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.client.topics import missing_outputs
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock.errors import ProcessingError, ProductionError, StreamsError
from penstock.handlers import ErrorHandlerContext, Response
from penstock.record import ProducerRecord
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("_kafka_can_be_had")]

TEXT = serdes.string()

Target: TypeAlias = str | Callable[[Any, Any, RecordContext], str]


def test_an_output_topic_that_is_missing_is_told_before_the_start(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    """It was told after 75 s, with records reported as written."""
    with pytest.raises(
        StreamsError,
        match=r"output topics must exist.*'nowhere', written by sink 'KSTREAM-SINK-0000000001' "
        r"\(defined at .*test_unwritable.py:\d+\); create them: penstock topics APP --create; or",
    ):
        _work(kafka_broker, kafka_topic("in"), "nowhere", tmp_path)


def test_a_dead_letter_topic_that_is_missing_is_told_before_the_start(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    letters = {"errors.dead.letter.queue.topic.name": "no-letters"}
    with pytest.raises(
        StreamsError,
        match=r"'no-letters', written by 'errors.dead.letter.queue.topic.name'",
    ):
        _work(kafka_broker, kafka_topic("in"), kafka_topic("out"), tmp_path, **letters)


def test_a_topic_chosen_for_a_record_that_is_missing_ends_the_application(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    source = kafka_topic("in")
    with pytest.raises(
        ProcessingError,
        match=rf"'{source}', partition 0, offset 0.*'nowhere' could not be written: there is no",
    ):
        _work(kafka_broker, source, lambda key, value, context: "nowhere", tmp_path)


def test_a_topic_chosen_for_a_record_that_is_missing_is_given_to_the_handler(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    asked: list[str] = []

    class Resume:
        def handle_error(
            self, context: ErrorHandlerContext, record: ProducerRecord, exception: Exception
        ) -> Response:
            assert isinstance(exception, ProductionError)
            assert exception.code == "UNKNOWN_TOPIC_OR_PART"
            asked.append(record.topic)
            return Response.resume()

    handler = {"production.exception.handler": Resume()}
    _work(kafka_broker, kafka_topic("in"), lambda *_: "nowhere", tmp_path, **handler)
    assert asked == ["nowhere"]


def test_a_topic_name_that_kafka_does_not_allow_ends_the_application(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    """Java: InvalidTopicException is fatal."""
    with pytest.raises(StreamsError, match="no topic of this name"):
        _work(kafka_broker, kafka_topic("in"), lambda *_: "no topic of this name", tmp_path)


@pytest.fixture(scope="module")
def generous_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """A broker that makes topics that are asked for."""
    settings = {"auto.create.topics.enable": "true"}
    with LocalBroker(tmp_path_factory.mktemp("generous"), settings=settings) as broker:
        yield broker


def test_a_broker_that_makes_topics_is_asked_for_those_that_are_missing(
    generous_broker: LocalBroker, kafka_broker: LocalBroker
) -> None:
    """As Java's producer asks."""
    generous = AdminClient({"bootstrap.servers": generous_broker.bootstrap_servers})
    strict = AdminClient({"bootstrap.servers": kafka_broker.bootstrap_servers})
    assert missing_outputs(generous, ["new-1", "new-2"]) == []
    assert missing_outputs(strict, ["new-1", "new-2"]) == ["new-1", "new-2"]


def _work(
    broker: LocalBroker, source: str, target: Target, state_dir: Path, **more: object
) -> None:
    """Copy a record from `source` to `target`."""
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers, "log_level": 0})
    producer.produce(source, "x", "a")
    producer.flush()
    builder = StreamsBuilder()
    builder.stream(source, Consumed(TEXT, TEXT)).to(target, Produced(TEXT, TEXT))
    settings = {
        "application.id": f"unwritable-{source}",
        "bootstrap.servers": broker.bootstrap_servers,
        "processing.guarantee": "exactly_once_v2",
        "commit.interval.ms": 100,
        "state.dir": str(state_dir),
        **more,
    }
    blueprint = prepare(builder.build(), StreamsConfig(settings))
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, lambda outputs: None)
        until = time.monotonic() + 60
        try:
            while not worker.figures.drained():
                assert time.monotonic() < until
                worker.step()
        finally:
            worker.abandon()

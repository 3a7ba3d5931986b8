"""State in an engine of the user's own, hosted by a worker: Redis, a real one."""

from __future__ import annotations

import pickle
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("redis", reason="the Redis example needs the package redis")

from examples.redis_store import RedisEngine
from penstock import Consumed, Grouped, KafkaStreams, Materialized, StreamsBuilder, Topology, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock._engine.kafka.worker.worker import open_worker
from penstock._engine.runtime.records import Output
from penstock._engine.spark.shipping.shipping import pack
from penstock.errors import TopologyError
from penstock.settings import StreamsConfig
from penstock.stores import StorePlace
from penstock.testing.broker import CreateTopic, LocalBroker
from tests.broker.applications import PATIENCE_SECONDS, settings, write
from tests.stores import redis_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("_kafka_can_be_had"),
    redis_server.needs_redis,
]

TEXT, LONG = serdes.string(), serdes.long()


def counts(words: str, opens: object) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream(words, Consumed(TEXT, TEXT))
        .group_by_key(Grouped(key=TEXT, value=TEXT))
        .count(Materialized("counts", TEXT, LONG, store=opens))  # type: ignore[arg-type]
        .to_stream()
        .to(f"{words}-counts")
    )
    return builder.build()


def run(topology: Topology, config: StreamsConfig, records: int) -> list[tuple[Any, Any]]:
    """Run an application that has been shipped until so many records are out; give them."""
    blueprint, committed = pickle.loads(pack(prepare(topology, config))), list[Output]()
    with TaskHost(blueprint) as host:
        worker = open_worker(blueprint, host, committed.extend)
        until = time.monotonic() + PATIENCE_SECONDS
        while (
            len(out := [output for output in committed if output[0].endswith("-counts")]) < records
        ):
            assert time.monotonic() < until, f"only this was committed: {committed}"
            worker.step()
        worker.close()
    return sorted(
        (TEXT.deserialize("", key), LONG.deserialize("", value)) for _, _, key, value, _, _ in out
    )


def test_state_is_found_again_on_another_machine_and_forgotten_when_it_is_cleaned_up(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    address = redis_server.address()
    words = kafka_topic("words", partitions=2)
    kafka_broker.create_topic(f"{words}-counts")
    topology = counts(words, RedisEngine.at(address))
    first = settings(kafka_broker, tmp_path / "one", f"app-{words}")
    write(kafka_broker, words, [(key, "x") for key in ("a", "b", "a", "c")])
    assert run(topology, first, 4) == [("a", 1), ("a", 2), ("b", 1), ("c", 1)]
    assert sum(held(first.application_id, address).values()) == 3

    second = settings(kafka_broker, tmp_path / "two", f"app-{words}")
    write(kafka_broker, words, [("a", "x"), ("c", "x")])
    assert run(topology, second, 2) == [("a", 3), ("c", 2)]

    KafkaStreams(topology, second.given()).clean_up()
    assert sum(held(first.application_id, address).values()) == 0
    write(kafka_broker, words, [("a", "x")])
    assert run(topology, second, 1) == [("a", 4)]
    KafkaStreams(topology, second.given()).clean_up()


def held(application_id: str, address: str) -> dict[str, int]:
    """Return how many entries each task has in Redis, and leave them as they are."""
    from redis import Redis  # noqa: PLC0415 - it may be absent

    with Redis.from_url(address) as client:
        tasks = ("0_0", "0_1")
        return {
            task: int(client.hlen(f"{{{application_id}/{task}/counts}}:entries")) for task in tasks
        }


def refuse(place: StorePlace, *, lock: object) -> RedisEngine:
    raise AssertionError


def test_an_engine_that_cannot_travel_is_named(
    kafka_broker: LocalBroker, kafka_topic: CreateTopic, tmp_path: Path
) -> None:
    words = kafka_topic("words")
    kafka_broker.create_topic(f"{words}-counts")
    topology = counts(words, partial(refuse, lock=threading.Lock()))
    blueprint = prepare(topology, settings(kafka_broker, tmp_path, "held-engine"))
    with pytest.raises(TopologyError, match=r"store 'counts' cannot be shipped .* its engine"):
        pack(blueprint)

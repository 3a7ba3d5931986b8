"""Queries by key of a topic that another client's partitioner has filled."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from confluent_kafka import Producer

from penstock import KafkaStreams, State
from penstock.cli import main
from penstock.testing.broker import LocalBroker
from tests.broker.applications import settings
from tests.broker.test_local_host import counting, wait_for

KEYS = [f"user-{number}" for number in range(40)]


def test_keys_of_a_topic_that_librdkafka_has_filled_are_found(
    kafka_broker: LocalBroker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "elsewhere"
    kafka_broker.create_topic(f"{name}-in", 4)
    kafka_broker.create_topic(f"{name}-out", 4)
    # Its own partitioner is CRC32 of the key, Java's is murmur2.
    producer = Producer({"bootstrap.servers": kafka_broker.bootstrap_servers})
    for key in KEYS:
        producer.produce(f"{name}-in", key=key, value="x")
    assert producer.flush(30) == 0
    topology = counting(name)
    config = settings(kafka_broker, tmp_path, name, **{"penstock.http.port": 0})
    with KafkaStreams(topology, config, host="local") as streams:
        streams.start()
        assert streams.wait_until(State.RUNNING, 60_000)
        counts = streams.store("counts")
        wait_for(lambda: len(list(counts.all())) == len(KEYS), "all keys")
        every = dict(counts.all())
        assert {key: counts.get(key) for key in KEYS} == every
        assert counts.get_all([*KEYS, "none"]) == every
        assert counts.get("none") is None
        progress = streams.progress()
        assert progress is not None
        served = progress["http"]
        token = json.loads(Path(served["tokenFile"]).read_text(encoding="utf-8"))["token"]
        for key in KEYS:
            url = f"{served['address']}/stores/counts/{key}"
            asked = Request(url, headers={"Authorization": f"Bearer {token}"})
            with urlopen(asked, timeout=30) as answer:
                assert json.load(answer)["value"] == 1
    # Of the application that has ended, from its changelog; with the program, keys are routed.
    program = tmp_path / "program.py"
    program.write_text(
        f"from tests.broker.test_local_host import counting\ntopology = counting({name!r})\n",
        encoding="utf-8",
    )
    given = ["--bootstrap-servers", kafka_broker.bootstrap_servers, "--program", str(program)]
    for key in KEYS[:8]:
        assert main(["query", name, "counts", key, *given]) == 0
        assert "1" in capsys.readouterr().out

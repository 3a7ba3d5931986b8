"""`KafkaStreams.start`: the local broker of an application that names no cluster, and waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from penstock import (
    ConfigError,
    KafkaStreams,
    State,
    StreamsBuilder,
    StreamsConfig,
    StreamsError,
)
from penstock._engine.kafka.application import preparation
from penstock._engine.kafka.local_broker import embedded
from tests.unit.test_application import (
    PATIENCE_MS,
    FakeBlueprint,
    FakeQuery,
    application,
    failed,
    queries,
    running,
    wait_for,
)

__all__ = ["queries"]


def without_cluster() -> KafkaStreams:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    return KafkaStreams(builder.build(), {"application.id": "fraud"})


def test_waiting_for_running_says_whether_it_runs_and_why_not(queries: list[FakeQuery]) -> None:
    streams = application()
    with pytest.raises(StreamsError, match=r"call start\(\) before wait_until_running\(\)"):
        streams.wait_until_running()
    streams.start()
    assert not streams.wait_until_running(5)
    queries[0].hear(running("a", "0_0", "0_1"))
    assert streams.wait_until_running(PATIENCE_MS)
    streams.close()
    with pytest.raises(StreamsError, match="does not come up: it is NOT_RUNNING"):
        streams.wait_until_running(PATIENCE_MS)
    failing = application()
    failing.start()
    queries[1].hear(failed(StreamsError("no way")))
    with pytest.raises(StreamsError, match="no way"):
        failing.wait_until_running(PATIENCE_MS)


def test_a_bounded_run_that_is_over_has_run(queries: list[FakeQuery]) -> None:
    streams = application()
    streams.start(available_now=True)
    for _ in range(2):
        queries[0].hear(running("a", "0_0", "0_1", caught_up=True))
    assert streams.wait_until(State.NOT_RUNNING, PATIENCE_MS)
    assert streams.wait_until_running(0)


@dataclass
class BrokerLog:
    """Stands for the local broker: how often it was started, and how often stopped."""

    started: int = 0
    stopped: int = 0

    @contextmanager
    def cluster(self, _topology: Any, config: Any, _say: Any) -> Iterator[StreamsConfig]:
        self.started += 1
        try:
            yield StreamsConfig({**config.given(), "bootstrap.servers": "127.0.0.1:7"})
        finally:
            self.stopped += 1


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> BrokerLog:
    log = BrokerLog()
    monkeypatch.setattr(embedded, "embedded_cluster", log.cluster)
    return log


def test_start_without_a_cluster_has_the_local_broker_until_close(
    queries: list[FakeQuery], local: BrokerLog
) -> None:
    streams = without_cluster()
    streams.start()
    assert (streams.bootstrap_servers, local) == ("127.0.0.1:7", BrokerLog(1, 0))
    with pytest.raises(StreamsError, match="can be started once"):
        streams.start()
    assert local == BrokerLog(1, 0)
    for _ in range(2):
        streams.close()
    assert (streams.bootstrap_servers, local) == (None, BrokerLog(1, 1))


def test_start_that_fails_or_is_closed_meanwhile_leaves_no_broker(
    queries: list[FakeQuery], local: BrokerLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = without_cluster()

    def refuse(*_: Any) -> FakeBlueprint:
        raise StreamsError("no way")

    def close(*_: Any) -> FakeBlueprint:
        streams.close()
        return FakeBlueprint()

    for prepare in (refuse, refuse):
        monkeypatch.setattr(preparation, "prepare", prepare)
        with pytest.raises(StreamsError, match="no way"):
            streams.start()
    assert (streams.bootstrap_servers, local) == (None, BrokerLog(2, 2))
    monkeypatch.setattr(preparation, "prepare", close)
    streams.start()
    assert (streams.state, local) == (State.NOT_RUNNING, BrokerLog(3, 3))


def test_failed_application_stops_the_local_broker(
    queries: list[FakeQuery], local: BrokerLog
) -> None:
    streams = without_cluster()
    streams.start()
    queries[0].hear(failed(StreamsError("no way")))
    assert streams.wait_until(State.ERROR, PATIENCE_MS)
    wait_for(lambda: local == BrokerLog(1, 1))


@pytest.mark.usefixtures("no_spark_session")
def test_a_cluster_of_spark_has_no_local_broker(
    queries: list[FakeQuery], local: BrokerLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_SPARK_MASTER", "spark://host:7077")
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    config = StreamsConfig.from_environment({"application.id": "fraud"})
    streams = KafkaStreams(builder.build(), config)
    with pytest.raises(ConfigError, match=r"'bootstrap.servers' must be given .*spark://host:7077"):
        streams.start()
    with pytest.raises(ConfigError, match=r"'bootstrap.servers' must be given .*spark://host:7077"):
        streams.run()
    assert (streams.state, local) == (State.CREATED, BrokerLog(0, 0))

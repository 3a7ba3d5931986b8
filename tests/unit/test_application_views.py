"""What the HTTP server shows of an application that starts, before its workers are there."""

from __future__ import annotations

import http.client
import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from penstock import Consumed, KafkaStreams, Materialized, StreamsBuilder, StreamsError, serdes
from penstock._engine.kafka.application import preparation
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.planner.tasks import plan_tasks
from penstock.application_states import State

TEXT = serdes.string()
STARTS = "the application starts: its workers are not there yet; ask again in a moment"
PATIENCE = 10.0

Get = Callable[[str], tuple[HTTPResponse, bytes]]


@pytest.fixture
def starting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[tuple[KafkaStreams, Get]]:
    """Return an application that has its server, but no workers yet, and what asks that server."""
    builder = StreamsBuilder()
    builder.stream("in", Consumed(TEXT, TEXT)).group_by_key().count(Materialized("counts"))
    topology = builder.build()
    settings = {"penstock.http.port": 0, "penstock.http.access": "no token on loopback"}
    named = {"application.id": "app", "bootstrap.servers": "nowhere:9092"}
    streams = KafkaStreams(
        topology, {**named, **settings, "state.dir": str(tmp_path)}, host="local"
    )
    tasks = tuple(plan_tasks(plan_subtopologies(topology, "app"), {"in": 2}))
    blueprint = Blueprint(streams._config, tasks, {"in": 2}, "tasks", frozenset())
    monkeypatch.setattr(preparation, "prepare", lambda *_: blueprint)
    begun, over = threading.Event(), threading.Event()

    def start_query(*_: Any) -> Any:
        begun.set()
        over.wait(PATIENCE)
        raise StreamsError("no workers")

    def start() -> None:
        with pytest.raises(StreamsError, match="no workers"):
            streams.start()

    def get(path: str) -> tuple[HTTPResponse, bytes]:
        assert streams._serving is not None
        address = urlsplit(streams._serving.url).netloc
        with closing(http.client.HTTPConnection(address, timeout=PATIENCE)) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            return response, response.read()

    monkeypatch.setattr(streams, "_start_query", start_query)
    thread = threading.Thread(target=start)
    thread.start()
    assert begun.wait(PATIENCE)
    assert streams.state is State.REBALANCING
    yield streams, get
    over.set()
    thread.join(PATIENCE)


def test_metrics_are_those_of_the_client(starting: tuple[KafkaStreams, Get]) -> None:
    streams, get = starting
    response, body = get("/metrics")
    assert response.status == 200
    lines = body.decode().splitlines()
    group, client = "kafka_streams_stream_metrics", 'client_id="app"'
    assert f'{group}_state{{{client},state="REBALANCING"}} 1' in lines
    assert f'{group}_application_id{{{client},application_id="app"}} 1' in lines
    names = {name.name for name in streams.metrics()}
    assert names == {
        "version",
        "application-id",
        "state",
        "topology-description",
        "recording-level",
    }


def test_stores_are_listed_and_not_ready(starting: tuple[KafkaStreams, Get]) -> None:
    _, get = starting
    (listed,) = json.loads(get("/stores")[1])["stores"]
    assert (listed["name"], listed["partitions"], listed["queryable"]) == ("counts", 2, True)
    for path in ("/stores/counts", "/stores/counts/a"):
        response, body = get(path)
        assert (response.status, response.headers["retry-after"]) == (503, "1")
        assert json.loads(body)["error"] == {"code": "not_ready", "message": STARTS}
    assert get("/stores/other")[0].status == 404


def test_no_route_fails(
    starting: tuple[KafkaStreams, Get], caplog: pytest.LogCaptureFixture
) -> None:
    streams, get = starting
    with caplog.at_level(logging.WARNING):
        for path in (
            *("/", "/api", "/openapi.json", "/health/live", "/topology", "/tasks", "/metadata"),
            *("/metrics", "/stores", "/console/snapshot", "/console/graph"),
        ):
            assert get(path)[0].status == 200, path
        assert get("/health/ready")[0].status == 503
    assert caplog.text == ""
    task, _ = json.loads(get("/tasks")[1])["tasks"]
    assert (task["id"], task["stores"], task["state"]) == ("0_0", ["counts"], "unassigned")
    metadata = json.loads(get("/metadata")[1])
    (store,) = metadata["stores"]
    assert [part["worker"] for part in store["parts"]] == [None, None]
    (driver,) = metadata["drivers"]
    assert driver["name"]
    assert streams._serving is not None
    assert driver["address"] == streams._serving.url


def test_python_is_told_that_it_starts(starting: tuple[KafkaStreams, Get]) -> None:
    streams, _ = starting
    for ask in (streams.reports, streams.pause, lambda: streams.store("counts")):
        with pytest.raises(StreamsError) as caught:
            ask()
        assert str(caught.value) == STARTS

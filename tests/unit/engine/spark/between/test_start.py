"""What a start between DataFrames asks of settings and session before it asks a cluster."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._engine.planner.stages import plan_job
from penstock._engine.spark import broker_reach
from penstock._engine.spark.between import start
from penstock._engine.spark.between.run_folder import ROUTED
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig

TEXT = serdes.string()


def session_at(master: str) -> Any:
    return SimpleNamespace(sparkContext=SimpleNamespace(master=master))


def test_the_local_broker_is_refused_where_executors_cannot_reach_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(broker_reach, "refuse_connect", lambda _: None)
    monkeypatch.setattr(start, "shared_broker", lambda: pytest.fail("a broker is started"))
    with ExitStack() as stack:
        config = StreamsConfig({"application.id": "app"})
        with pytest.raises(ConfigError, match=r"master is 'spark://host:7077'.*local broker"):
            start._on_cluster(config, session_at("spark://host:7077"), stack)
        named = StreamsConfig({"application.id": "app", "bootstrap.servers": "kafka:9092"})
        assert start._on_cluster(named, session_at("spark://host:7077"), stack) is named


@pytest.mark.parametrize(
    ("by_record", "settings", "others"),
    [
        (False, {}, []),
        (True, {}, [ROUTED]),
        # Its handler may name any topic as well.
        (False, {"errors.dead.letter.queue.topic.name": "dead"}, ["dead", ROUTED]),
    ],
)
def test_all_topics_that_an_application_writes_are_its_outputs(
    by_record: bool, settings: dict[str, str], others: list[str]
) -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed(TEXT, TEXT))
    stream.to("out", Produced(TEXT, TEXT))
    if by_record:
        stream.to(lambda key, value, context: str(key), Produced(TEXT, TEXT))
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "kafka:9092", **settings})
    plan = plan_job(builder.build(), config, {"in": 1}, {})
    assert start._written(plan, config) == ["out", *others]

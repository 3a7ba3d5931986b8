"""How inputs are written, as the user says. (With a real Spark: tests/spark/test_between.py.)"""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import types as T

from penstock import Consumed, StreamsBuilder, serdes
from penstock._engine.planner.fingerprint import compare, fingerprint_of
from penstock._engine.planner.layout import Draft, draft_of
from penstock._engine.planner.stages import plan_job
from penstock._engine.spark.between.live_inputs import live_inputs, reading_inputs
from penstock._engine.spark.between.start import LiveRequest
from penstock.errors import ConfigError
from penstock.settings import StreamsConfig


@pytest.mark.parametrize(("wish", "again"), [("refuse", False), ("again", True)])
def test_a_half_written_batch_is_written_again_if_the_user_says_so(
    wish: str, *, again: bool
) -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    topology = builder.build()
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "b:1"})
    frame: Any = SimpleNamespace(schema=T.StructType([T.StructField("value", T.StringType())]))
    request = LiveRequest(topology, {"in": frame}, after_partial_write=wish)
    plan = plan_job(topology, config, {"in": 1}, {})
    (one,) = live_inputs(request.inputs, plan, config, again=request.again)
    assert one.options.again == again
    with pytest.raises(ConfigError, match="after_partial_write must be 'refuse' or 'again'"):
        assert LiveRequest(topology, {}, after_partial_write="once").again


TEXT = serdes.string()


def resolved_on(cluster: list[str], inputs: list[str]) -> Draft:
    """Return the draft that an application makes of a run with these inputs."""
    builder = StreamsBuilder()
    every = re.compile("logs-.*")
    builder.stream(every, Consumed(TEXT, TEXT, offset_reset="latest")).group_by_key().count()
    builder.stream("orders", Consumed(TEXT, TEXT, offset_reset="latest")).to("between")
    builder.stream("between", Consumed(TEXT, TEXT, offset_reset="latest")).to("out")
    topology = builder.build()
    made = reading_inputs(topology, inputs)
    # What is on record of a run before this one stays right, and right for inputs to come.
    assert fingerprint_of(made) == fingerprint_of(topology)
    draft = draft_of(made, "app")
    return draft.resolved(cluster) if draft.has_patterns else draft


def test_inputs_are_read_from_the_beginning_whatever_the_program_says() -> None:
    draft = resolved_on([], ["logs-a", "orders"])
    policies = {topic: one.offset_reset for one in draft.sources for topic in one.topics}
    assert policies == {"logs-a": "earliest", "orders": "earliest", "between": "latest"}


@pytest.mark.parametrize("inputs", [["logs-a"], ["logs-a", "metrics-b"]])
def test_a_pattern_without_inputs_leaves_stores_and_members_what_they_are(
    inputs: list[str],
) -> None:
    """The store has no name but its number."""
    builder = StreamsBuilder()
    logs = builder.stream(re.compile("logs-.*"), Consumed(TEXT, TEXT))
    metrics = builder.stream(re.compile("metrics-.*"), Consumed(TEXT, TEXT))
    logs.merge(metrics).group_by_key().count()
    topology = builder.build()
    made = reading_inputs(topology, inputs)
    assert compare(fingerprint_of(topology), fingerprint_of(made)) == []
    draft = draft_of(made, "app")
    assert not draft.has_patterns
    assert draft.topics_to_count == inputs
    assert draft.resolved(["logs-z", "metrics-z"]) == draft


@pytest.mark.parametrize("inputs", [["orders"], ["orders", "logs-a"]])
def test_a_pattern_reads_the_inputs_only(inputs: list[str]) -> None:
    found = resolved_on(["logs-a", "logs-b", "orders"], inputs)
    assert found.topics_to_count == sorted({*inputs, "between"})

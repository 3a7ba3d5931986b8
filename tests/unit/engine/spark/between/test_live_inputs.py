"""How inputs are written, as the user says. (With a real Spark: tests/spark/test_between.py.)"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import types as T

from penstock import StreamsBuilder
from penstock._engine.planner.stages import plan_job
from penstock._engine.spark.between.live_inputs import live_inputs
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

"""The serdes of the topics of a plan: of the source that reads one, of the sinks that write one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.stages import JobPlan
from penstock._engine.spark.batch.inputs import SourceSerdes
from penstock._engine.spark.state.cells import column_type
from penstock._engine.topology.nodes.stream_nodes import SinkNode, title_of
from penstock.errors import StreamsError
from penstock.serdes import Serde
from penstock.settings import StreamsConfig


def serdes_among(
    plans: Iterable[SubtopologyPlan], topic: str, config: StreamsConfig
) -> SourceSerdes:
    """Return the serdes of the source of these plans that reads a topic."""
    sources = (source for one in plans for source in one.sources())
    source = next(source for source in sources if topic in source.topics)
    title = title_of(source)
    return SourceSerdes(
        lambda: config.key_serde(source.key_serde, title),
        lambda: config.value_serde(source.value_serde, title),
    )


def sink_serdes(topic: str, plan: JobPlan) -> dict[str, Serde[Any]]:
    """Return the serdes of key and value that a topic is written with.

    Raises:
        StreamsError: there are none, or several.
    """
    config = plan.config
    found = [
        {
            "key": config.key_serde(node.key_serde, title_of(node)),
            "value": config.value_serde(node.value_serde, title_of(node)),
        }
        for one in plans_of(plan)
        for node in one.nodes
        if isinstance(node, SinkNode) and node.topic == topic
    ]
    kinds = {
        tuple((type(serde), column_type(serde).spark) for serde in one.values()) for one in found
    }
    if len(kinds) != 1:
        msg = (
            f"topic {topic!r} is written with no or with several serdes, so its records have "
            f"no one type; take the bytes: result[{topic!r}]"
        )
        raise StreamsError(msg)
    return found[0]


def plans_of(plan: JobPlan) -> Iterator[SubtopologyPlan]:
    """Yield the plans of all sub-topologies, at last that of the global stores."""
    for stage in plan.stages:
        yield from stage.plans
    if plan.global_stores is not None:
        yield plan.global_stores

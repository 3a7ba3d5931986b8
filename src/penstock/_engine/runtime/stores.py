"""The stores of one task, made from its plan; each change becomes a changelog record among the
outputs.
"""

from __future__ import annotations

from penstock._engine.planner.plan import StorePlan
from penstock._engine.runtime.collector import Collector
from penstock._engine.runtime.position import Position
from penstock._engine.state.layers.key_value import LogChange, TypedKeyValueStore
from penstock._engine.state.memory.key_value import MemoryStore


def open_stores(
    plans: dict[str, StorePlan], partition: int, collector: Collector, position: Position
) -> dict[str, TypedKeyValueStore]:
    """Open the stores of a task that reads `partition`."""
    return {
        name: TypedKeyValueStore(
            plan.builder, MemoryStore(), _logger(plan.changelog, partition, collector, position)
        )
        for name, plan in plans.items()
    }


def _logger(
    topic: str | None, partition: int, collector: Collector, position: Position
) -> LogChange:
    send = collector.send
    if topic is None:
        return lambda key, value: None
    return lambda key, value: send((topic, partition, key, value, position.timestamp, ()))

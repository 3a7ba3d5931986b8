"""Which repartition topics records without a key may go through.

Before a repartition topic they are filtered out, as nothing below could find them, unless a join
below keeps records that match nothing: it has a use for them. Java:
NodesWithRelaxedNullKeyJoinDownstream.
"""

from __future__ import annotations

from dataclasses import replace

from penstock._engine.topology.graph import Repartition, Step, takes_null_keys


def let_null_keys_through(steps: dict[int, Step]) -> dict[int, Step]:
    """Take the filter off the repartition topics above such joins, near or far."""
    above = _above_joins_of_null_keys(steps)
    return {
        index: replace(step, drawing=replace(step.drawing, takes_null_keys=True))
        if index in above and isinstance(step.drawing, Repartition)
        else step
        for index, step in steps.items()
    }


def _above_joins_of_null_keys(steps: dict[int, Step]) -> set[int]:
    above: set[int] = set()
    waiting = [step for step in steps.values() if takes_null_keys(step.drawing)]
    while waiting:
        for parent in waiting.pop().parents:
            if parent not in above:
                above.add(parent)
                waiting.append(steps[parent])
    return above

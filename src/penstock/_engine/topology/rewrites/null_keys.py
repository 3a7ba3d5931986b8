"""Removes the null-key filter of repartition topics above joins that use records without a key.

A filter before a repartition topic drops them, since nothing below could find them. A join that
keeps records without a match needs them. Java: NodesWithRelaxedNullKeyJoinDownstream.
"""

from __future__ import annotations

from dataclasses import replace

from penstock._engine.topology.graph import Repartition, Step, takes_null_keys


def pass_null_keys(steps: dict[int, Step]) -> dict[int, Step]:
    """Remove the filter of all repartition topics above such joins."""
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

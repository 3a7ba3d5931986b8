"""The identity of a member's program and plan: a short text that other members can compare.

The group protocol assigns numbers, and a plan maps numbers to tasks. Members with another program,
or with another count of partitions, would run other tasks under the same number. So each member
shows its identity in its client id, and members with different ones do not work together.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.topology.nodes.stream_nodes import Node, SinkNode, SourceNode, parents_of

_LETTERS = 8
_SHOWN = re.compile(rf"-program-([0-9a-f]{{{_LETTERS}}})-plan-([0-9a-f]{{{_LETTERS}}})$")


@dataclass(frozen=True, slots=True)
class Identity:
    """The shape of a program, and its tasks with their inputs."""

    program: str = ""
    plan: str = ""

    def shown_in(self, client_id: str) -> str:
        """Return a client id that shows this identity to the other members of the group."""
        return f"{client_id}-program-{self.program}-plan-{self.plan}"


NO_IDENTITY = Identity()
"""The identity of an application that joins no group."""


def read_identity(client_id: str) -> Identity | None:
    """Return the identity that a client id shows, None if it shows none."""
    found = _SHOWN.search(client_id)
    return None if found is None else Identity(*found.groups())


def identity_of(plans: Iterable[SubtopologyPlan], tasks: Iterable[TaskPlan]) -> Identity:
    """Return the identity of a program that is planned into `tasks`."""
    shape = [
        [plan.id, [_shape(node) for node in plan.nodes], sorted(plan.stores)] for plan in plans
    ]
    return Identity(_digest(shape), _digest([[task.id, task.inputs] for task in tasks]))


def _shape(node: Node) -> list[Any]:
    shape: list[Any] = [type(node).__name__, node.name, sorted(parents_of(node))]
    if isinstance(node, SourceNode):
        # The topics that match a pattern may change during a run: they belong to the plan.
        shape.append(node.topics if node.pattern is None else node.pattern.pattern)
    if isinstance(node, SinkNode):
        shape.append(node.topic if isinstance(node.topic, str) else "dynamic")
    return shape


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:_LETTERS]

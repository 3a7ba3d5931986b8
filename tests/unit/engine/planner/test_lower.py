"""Every operation has code that runs it."""

from __future__ import annotations

import sys

from penstock._engine.planner import lower
from penstock._engine.topology.nodes import stream_nodes as nodes


def subclasses(kind: type) -> set[type]:
    found: set[type] = set(kind.__subclasses__())
    return found.union(*(subclasses(child) for child in found))


def test_the_list_of_operators_is_complete() -> None:
    # A dataclass with slots is made twice; only the one the module holds counts.
    operations = {
        kind
        for kind in subclasses(nodes.Operation)
        if getattr(sys.modules[kind.__module__], kind.__name__) is kind
    }
    families = {
        kind for kind in operations for other in operations - {kind} if issubclass(other, kind)
    }
    assert operations - families <= set(lower._OPERATORS)

"""Every operation has code that runs it."""

from __future__ import annotations

from penstock._engine.planner import lower
from penstock._engine.topology import nodes


def subclasses(kind: type) -> set[type]:
    found: set[type] = set(kind.__subclasses__())
    return found.union(*(subclasses(child) for child in found))


def test_the_list_of_operators_is_complete() -> None:
    # A dataclass with slots is made twice; only the one the module holds counts.
    operations = {
        kind for kind in subclasses(nodes.Operation) if getattr(nodes, kind.__name__) is kind
    }
    assert operations <= set(lower._OPERATORS)

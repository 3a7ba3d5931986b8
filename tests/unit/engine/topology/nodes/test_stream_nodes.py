"""Nodes and operations: plain, frozen data."""

from __future__ import annotations

import dataclasses

import pytest

from penstock._engine.topology.nodes import stream_nodes as nodes

SOURCE = nodes.SourceNode("s", ("in",), None, None, None, None, None, "app.py:1")
PROCESSOR = nodes.ProcessorNode("p", nodes.PassThrough(), ("s",), "app.py:2")
SINK = nodes.SinkNode("k", "out", ("s", "p"), None, None, None, None)


def test_parents() -> None:
    assert [nodes.parents_of(node) for node in (SOURCE, PROCESSOR, SINK)] == [
        (),
        ("s",),
        ("s", "p"),
    ]


def test_titles_say_kind_name_and_place() -> None:
    assert [nodes.title_of(node) for node in (SOURCE, PROCESSOR, SINK)] == [
        "source 's' (defined at app.py:1)",
        "processor 'p' (defined at app.py:2)",
        "sink 'k'",
    ]


def test_which_operations_change_the_key() -> None:
    changing: set[type[nodes.Operation]] = {nodes.Map, nodes.SelectKey, nodes.FlatMap}
    stateless: set[type[nodes.Operation]] = {
        *changing,
        nodes.Filter,
        nodes.MapValues,
        nodes.FlatMapValues,
        nodes.Peek,
    }
    assert {operation for operation in stateless if operation.changes_key} == changing


def test_nodes_do_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SOURCE.name = "other"  # type: ignore[misc]

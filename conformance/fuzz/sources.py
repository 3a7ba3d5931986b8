"""Draws sources, and finds or makes what a verb is applied to."""

from __future__ import annotations

from typing import Any

from conformance.fuzz.draft import Draft, Input, Node
from conformance.fuzz.functions import LONG, STRING


def stream(draft: Draft, key: str | None = None, value: str | None = None) -> Node:
    """Give a stream with these types, if they are given."""
    there = draft.existing("stream", lambda node: _fits(node, key, value))
    if there and draft.chance(0.85):
        return draft.recent(there)
    return stream_source(draft, key, value)


def table(draft: Draft, key: str | None = None, value: str | None = None) -> Node:
    """Give a table with these types, if they are given."""
    there = draft.existing("table", lambda node: _fits(node, key, value))
    if there and draft.chance(0.8):
        return draft.recent(there)
    if key is None and value is None and draft.chance(0.3):
        return _table_of_a_stream(draft)
    return table_source(draft, key, value)


def stream_source(draft: Draft, key: str | None = None, value: str | None = None) -> Node:
    """Draw a source of one topic or two."""
    key, value = _topic_types(draft, key, value)
    if draft.chance(0.1) and (again := _read_again(draft, key, value)) is not None:
        return again
    topics = [_topic(draft, "stream", key, value) for _ in range(2 if draft.chance(0.1) else 1)]
    option = draft.serdes(key, value)
    if draft.chance(0.1):
        option["name"] = draft.fresh("name-")
    if draft.chance(0.05):
        option["half_time"] = True
    step = draft.add("stream", topics=topics, consumed=option or None)
    return draft.result(step, _read(Node(draft.fresh("s"), "stream", key, value), option))


def _read_again(draft: Draft, key: str, value: str) -> Node | None:
    """Draw a second source of topics that are read already, if there are any with these types."""
    read = [step for step in draft.steps if step["verb"] == "stream"]
    for step in read:
        option = {name: part for name, part in step.get("consumed", {}).items() if name != "name"}
        if (option.get("key", STRING), option.get("value", STRING)) == (key, value):
            again = draft.add("stream", topics=step["topics"], consumed=option or None)
            return draft.result(again, _read(Node(draft.fresh("s"), "stream", key, value), option))
    return None


def table_source(
    draft: Draft, key: str | None = None, value: str | None = None, *, versions: float = 0.2
) -> Node:
    """Draw a table that is read from a topic; it may be versioned."""
    key, value = _topic_types(draft, key, value)
    option = draft.serdes(key, value)
    if draft.chance(0.1):
        option["name"] = draft.fresh("name-")
    stored = draft.materialized(key, value, known=option, versions=versions)
    step = draft.add(
        "table",
        topic=_topic(draft, "table", key, value),
        consumed=option or None,
        materialized=stored,
    )
    node = Node(draft.fresh("t"), "table", key, value, history=(stored or {}).get("history"))
    return draft.result(step, _read(node, option))


def global_table(draft: Draft, key: str | None = None, value: str | None = None) -> Node:
    """Draw a global table, or take one that is there."""
    there = draft.existing("global_table", lambda node: _fits(node, key, value))
    if there and draft.chance(0.6):
        return draft.recent(there)
    key, value = _topic_types(draft, key, value)
    option = draft.serdes(key, value)
    stored = draft.materialized(key, value, known=option)
    if stored is not None:
        stored["name"] = draft.fresh("store-")  # Java refuses one without a name
    step = draft.add(
        "global_table",
        topic=_topic(draft, "table", key, value),
        consumed=option or None,
        materialized=stored,
    )
    node = Node(draft.fresh("a"), "global_table", key, value)
    return draft.result(step, _read(node, option))


def _table_of_a_stream(draft: Draft) -> Node:
    of = stream(draft)
    step = draft.add(
        "to_table",
        of,
        named=draft.name(),
        materialized=draft.materialized(of.key, of.value, versions=0.1),
    )
    given = step.get("materialized", {})
    return draft.result(
        step,
        Node(
            draft.fresh("t"), "table", of.key, of.value,
            of.key_known or "key" in given, of.value_known or "value" in given,
            history=given.get("history"),
        ),
    )  # fmt: skip


def to_table(draft: Draft) -> None:
    """Draw `to_table`."""
    _table_of_a_stream(draft)


def unsaid(node: Node) -> bool:
    """Tell whether Java would take the default serde where it is the wrong one."""
    return _unsaid(node.key, node.key_known) or _unsaid(node.value, node.value_known)


def _unsaid(type_: str, known: bool) -> bool:
    return type_ != STRING and not known


def _fits(node: Node, key: str | None, value: str | None) -> bool:
    return key in {None, node.key} and value in {None, node.value}


def _topic_types(draft: Draft, key: str | None, value: str | None) -> tuple[str, str]:
    common = [STRING, STRING, STRING, LONG]
    return key or draft.pick(common), value or draft.pick(common)


def _topic(draft: Draft, kind: str, key: str, value: str) -> str:
    topic = draft.fresh("in-")
    draft.inputs.append(Input(topic, kind, key, value))
    return topic


def _read(node: Node, option: dict[str, Any]) -> Node:
    node.key_known, node.value_known = "key" in option, "value" in option
    return node

"""Draws the verbs of tables but their joins."""

from __future__ import annotations

from typing import Any

from conformance.fuzz import functions, sources
from conformance.fuzz.draft import Draft, Node
from conformance.fuzz.functions import given_type
from conformance.fuzz.stream_verbs import Verb, void


def _viewed(draft: Draft, verb: str, of: Node, value: str, function: str) -> Node:
    """Draw a verb that gives a table under the same keys."""
    option = store = None
    if draft.chance(0.4):
        option = draft.materialized(of.key, value, versions=0.1)
    if verb == "transform_values" and "name" in (option or {}) and draft.chance(0.5):
        store = draft.store("count")
    step = draft.add(verb, of, f=function, named=draft.name(), materialized=option, store=store)
    said = option or {}
    keeps_value = verb in {"filter", "filter_not"}
    node = Node(
        draft.fresh("t"), "table", of.key, value,
        of.key_known or "key" in said,
        "value" in said or (keeps_value and of.value_known),
        of.windows, of.history if option is None else option.get("history"),
        can_be_looked_up=of.can_be_looked_up,
    )  # fmt: skip
    return draft.result(step, node)


def _filtering(verb: str) -> Verb:
    def draw(draft: Draft) -> None:
        of = sources.table(draft)
        _viewed(draft, verb, of, of.value, draft.function(functions.PREDICATES))

    return draw


def _mapping(verb: str, family_name: str, family: dict[str, Any]) -> Verb:
    def draw(draft: Draft) -> None:
        of = sources.table(draft)
        function = draft.function(family)
        _viewed(draft, verb, of, given_type(family_name, function, of.value), function)

    return draw


def to_stream(draft: Draft, of: Node | None = None) -> Node:
    """Draw `to_stream`, now and then under other keys."""
    of = of or sources.table(draft)
    selector = draft.function(functions.SELECTORS) if draft.chance(0.2) else None
    step = draft.add("to_stream", of, f=selector, named=draft.name())
    key = of.key if selector is None else given_type("selectors", selector, of.key)
    node = Node(
        draft.fresh("s"), "stream", key, of.value,
        of.key_known and selector is None, of.value_known,
        of.windows if key == of.key else None,
    )  # fmt: skip
    return draft.result(step, node)


def _suppress(draft: Draft) -> None:
    of = sources.table(draft)
    if sources.unsaid(of) or of.history is not None:
        return
    step = draft.add("suppress", of, **_suppressed(draft, of))
    fields = (of.key, of.value, of.key_known, of.value_known, of.windows)
    node = Node(draft.fresh("t"), "table", *fields, can_be_looked_up=of.can_be_looked_up)
    draft.result(step, node)


def _suppressed(draft: Draft, of: Node) -> dict[str, Any]:
    closes = of.windows is not None and draft.chance(0.7)
    option: dict[str, Any] = {"until": "window_closes" if closes else "time_limit"}
    if not closes:
        option["limit"] = draft.duration(0, 10)
    if not closes or draft.chance(0.3):
        if draft.chance(0.5):
            option["max_records"] = draft.random.randint(1, 5)
        elif draft.chance(0.3):
            option["max_bytes"] = draft.random.randint(50, 500)
    if "max_records" in option or "max_bytes" in option:
        eager = not closes and draft.chance(0.9)
        option["full"] = "emit_early" if eager else "shut_down"
    option["named"] = draft.name()
    option["logging"] = False if draft.chance(0.1) else None
    return option


VERBS: dict[str, Verb] = {
    "table": lambda draft: void(sources.table_source(draft)),
    "table_filter": _filtering("filter"),
    "table_filter_not": _filtering("filter_not"),
    "table_map_values": _mapping("map_values", "mappers", functions.MAPPERS),
    "table_map_values_with_key": _mapping(
        "map_values_with_key", "key_mappers", functions.KEY_MAPPERS
    ),
    "transform_values": _mapping("transform_values", "key_mappers", functions.KEY_MAPPERS),
    "suppress": _suppress,
    "to_stream": lambda draft: void(to_stream(draft)),
}

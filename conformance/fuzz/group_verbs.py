"""Draws groupings and what becomes of them: aggregations, windowed or not, and cogroups."""

from __future__ import annotations

from typing import Any

from conformance.fuzz import functions, sources
from conformance.fuzz.draft import Draft, Node
from conformance.fuzz.functions import LONG, STRING, given_type
from conformance.fuzz.stream_verbs import Verb, void
from penstock.windows import END_OF_TIME

_REDUCERS = {
    STRING: ["append", "latest", "first", "larger", "null_if_even", "fail"],
    LONG: ["sum", "latest", "first", "larger", "null_if_even", "fail"],
}
_AGGREGATORS = {
    STRING: ["append", "append_keyed", "append_or_null", "append_or_fail"],
    LONG: ["sum", "sum_or_null", "sum_or_fail"],
}
_SUBTRACTORS = {STRING: ["strike", "append_or_null"], LONG: ["minus", "sum_or_null"]}
_REDUCE_SUBTRACTORS = {STRING: ["strike", "null_if_even"], LONG: ["minus", "null_if_even"]}
_INITIALIZERS = {STRING: ["empty", "empty", "null"], LONG: ["zero", "zero", "null"]}
_MERGERS = {STRING: "append", LONG: "sum"}

WINDOW_KINDS = ("tumbling", "hopping", "sliding", "session", "unlimited")


def group(draft: Draft, key: str | None = None) -> Node:
    """Draw `group_by_key` or `group_by`, or take a grouping that is there."""
    there = draft.existing("grouped", lambda node: key in {None, node.key})
    if there and draft.chance(0.3):
        return draft.recent(there)
    of = sources.stream(draft, key)
    if draft.chance(0.6):
        known = _known(of)
        option = _grouped(draft, of.key, of.value, needed=sources.unsaid(of))
        step = draft.add("group_by_key", of, grouped=option)
        node = Node(
            draft.fresh("g"), "grouped", of.key, of.value,
            "key" in (known if option is None else option),
            "value" in (known if option is None else option),
        )  # fmt: skip
        return draft.result(step, node)
    selectors = [
        name for name in functions.SELECTORS if key in {None, given_type("selectors", name, of.key)}
    ]
    selector = draft.function(selectors)
    chosen = given_type("selectors", selector, of.key)
    unsaid = chosen != STRING or (of.value != STRING and not of.value_known)
    option = _grouped(draft, chosen, of.value, needed=unsaid)
    step = draft.add("group_by", of, f=selector, grouped=option)
    value_known = of.value_known if option is None else "value" in option
    node = Node(draft.fresh("g"), "grouped", chosen, of.value, "key" in (option or {}), value_known)
    return draft.result(step, node)


def table_group(draft: Draft) -> Node:
    """Draw `group_by` of a table, or take one that is there."""
    there = draft.existing("grouped_table")
    if there and draft.chance(0.2):
        return draft.recent(there)
    of = sources.table(draft)
    selector, mapper = (
        draft.function(functions.SELECTORS),
        draft.function(functions.KEY_MAPPERS),
    )
    key = given_type("selectors", selector, of.key)
    value = given_type("key_mappers", mapper, of.value)
    option = _grouped(draft, key, value, needed=key != STRING or value != STRING)
    step = draft.add("group_by", of, key=selector, value=mapper, grouped=option)
    said = option or {}
    node = Node(draft.fresh("g"), "grouped_table", key, value, "key" in said, "value" in said)
    return draft.result(step, node)


def _grouped(draft: Draft, key: str, value: str, *, needed: bool) -> dict[str, Any] | None:
    """Say how a grouping is written; once it is said, all of it must be."""
    if not needed and draft.chance(0.5):
        return None
    option = draft.serdes(key, value)
    if draft.chance(0.4):
        option["name"] = draft.fresh("group-")
    return option


def _known(node: Node) -> list[str]:
    return [name for name, known in (("key", node.key_known), ("value", node.value_known)) if known]


def windows(draft: Draft) -> dict[str, Any]:
    """Draw the windows of a grouping."""
    kind = draft.pick(WINDOW_KINDS)
    option: dict[str, Any] = {"kind": kind}
    if kind in {"tumbling", "hopping"}:
        option["size"] = draft.duration(2, 10)
        if kind == "hopping":
            option["advance"] = max(1, option["size"] // draft.pick([2, 3, 4]))
    elif kind == "sliding":
        option["difference"] = draft.duration(1, 8)
    elif kind == "session":
        option["gap"] = draft.duration(0, 5)
    elif draft.chance(0.3):
        option["start"] = draft.duration(1, 10)
    if kind != "unlimited" and draft.chance(0.6):
        option["grace"] = draft.duration(0, 10)
    return option


def _windowed_by(draft: Draft, of: Node, option: dict[str, Any]) -> Node:
    cogrouped = of.kind == "cogrouped"
    closes = option["kind"] != "unlimited" and not cogrouped and draft.chance(0.25)
    step = draft.add("windowed_by", of, windows=option, emit="close" if closes else None)
    node = Node(
        draft.fresh("w"),
        "windowed_cogrouped" if cogrouped else "windowed",
        of.key, of.value, of.key_known, of.value_known, {**option, "emit": closes},
    )  # fmt: skip
    return draft.result(step, node)


def _aggregated(draft: Draft, verb: str, of: Node, value: str, **fields: Any) -> Node:
    """Draw an aggregation and note its table."""
    known = ["key"] if of.key_known else []
    if verb == "count" or (verb == "reduce" and of.value_known):
        known.append("value")
    named = draft.name()
    versions = 0.1 if of.windows is None else 0.0
    option = draft.materialized(of.key, value, known=known, versions=versions)
    if option is not None and of.windows is not None and draft.chance(0.2):
        option.update(_retained(draft, of.windows))
    step = draft.add(verb, of, **fields, named=named, materialized=option)
    said = {*known, *(option or {})}
    node = Node(
        draft.fresh("t"),
        "table",
        windowed_key(of),
        value,
        "key" in said,
        "value" in said,
        of.windows,
        history=(option or {}).get("history"),
        can_be_looked_up=of.kind != "windowed_cogrouped",
    )
    return draft.result(step, node)


def windowed_key(of: Node) -> str:
    """Give the type of the keys of a windowed aggregation."""
    if of.windows is None:
        return of.key
    if of.windows["kind"] == "session":
        return f"session/{of.key}"
    size = of.windows.get("size") or of.windows.get("difference") or END_OF_TIME
    return f"time/{size}/{of.key}"


def _retained(draft: Draft, windows: dict[str, Any]) -> dict[str, int]:
    """Say how long windows are kept, at least as long as they must be."""
    kind, grace = windows["kind"], windows.get("grace", 0)
    if kind == "unlimited":
        return {}
    least = {"sliding": 2 * windows.get("difference", 0), "session": windows.get("gap", 0)}
    return {"retention": least.get(kind, windows.get("size", 0)) + grace + draft.duration(0, 100)}


def _fold(draft: Draft, folds: list[str], windows: dict[str, Any] | None) -> str:
    """Draw one of several functions. Java fails to read sliding windows that were deleted while
    they are cached, so there it is one that deletes nothing.
    """
    if draft.cache_bytes and windows is not None and windows["kind"] == "sliding":
        folds = [name for name in folds if "null" not in name]
    return draft.function(folds)


def _count(draft: Draft, of: Node) -> Node:
    return _aggregated(draft, "count", of, LONG)


def _reduce(draft: Draft, of: Node) -> Node:
    fields = {"f": _fold(draft, _REDUCERS[of.value], of.windows)}
    if of.kind == "grouped_table":
        fields["subtractor"] = draft.pick(_REDUCE_SUBTRACTORS[of.value])
    return _aggregated(draft, "reduce", of, of.value, **fields)


def _aggregate(draft: Draft, of: Node) -> Node:
    cogrouped = of.kind in {"cogrouped", "windowed_cogrouped"}
    value = of.value if cogrouped else draft.pick([STRING, LONG])
    fields = {"initializer": draft.pick(_INITIALIZERS[value])}
    if not cogrouped:
        fields["f"] = _fold(draft, _AGGREGATORS[value], of.windows)
    if of.kind == "grouped_table":
        fields["subtractor"] = draft.pick(_SUBTRACTORS[value])
    if of.windows is not None and of.windows["kind"] == "session":
        fields["merger"] = _MERGERS[value]
    return _aggregated(draft, "aggregate", of, value, **fields)


def aggregation(draft: Draft, of: Node) -> Node:
    """Draw any aggregation of a group."""
    if of.kind in {"cogrouped", "windowed_cogrouped"}:
        return _aggregate(draft, of)
    return draft.pick([_count, _reduce, _aggregate])(draft, of)


def _cogroup(draft: Draft, windows: dict[str, Any] | None) -> Node:
    of = group(draft)
    value = draft.pick([STRING, LONG])
    step = draft.add("cogroup", of, f=_fold(draft, _AGGREGATORS[value], windows))
    # Java forgets the serdes of the groups but for their repartition topics.
    node = draft.result(step, Node(draft.fresh("c"), "cogrouped", of.key, value))
    for _ in range(draft.pick([0, 1, 1, 2])):
        other = group(draft, of.key)
        step = draft.add("cogroup", node, other, f=_fold(draft, _AGGREGATORS[value], windows))
        node = draft.result(step, Node(draft.fresh("c"), "cogrouped", of.key, value))
    return node


def _windowed_group(draft: Draft) -> Node:
    there = draft.existing("windowed")
    return (
        draft.recent(there)
        if there and draft.chance(0.3)
        else _windowed_by(draft, group(draft), windows(draft))
    )


def _cogrouped(draft: Draft) -> None:
    option = windows(draft) if draft.chance(0.4) else None
    of = _cogroup(draft, option)
    if option is not None:
        of = _windowed_by(draft, of, option)
    _aggregate(draft, of)


VERBS: dict[str, Verb] = {
    "count": lambda draft: void(_count(draft, group(draft))),
    "reduce": lambda draft: void(_reduce(draft, group(draft))),
    "aggregate": lambda draft: void(_aggregate(draft, group(draft))),
    "windowed_count": lambda draft: void(_count(draft, _windowed_group(draft))),
    "windowed_reduce": lambda draft: void(_reduce(draft, _windowed_group(draft))),
    "windowed_aggregate": lambda draft: void(_aggregate(draft, _windowed_group(draft))),
    "table_count": lambda draft: void(_count(draft, table_group(draft))),
    "table_reduce": lambda draft: void(_reduce(draft, table_group(draft))),
    "table_aggregate": lambda draft: void(_aggregate(draft, table_group(draft))),
    "cogroup": _cogrouped,
}

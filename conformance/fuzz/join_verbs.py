"""Draws joins of all kinds."""

from __future__ import annotations

from typing import Any

from conformance.fuzz import functions, sources
from conformance.fuzz.draft import Draft, Node
from conformance.fuzz.functions import STRING, given_type
from conformance.fuzz.stream_verbs import Verb


def _joiner(draft: Draft) -> tuple[dict[str, str], str]:
    """Draw a joiner, and tell the type of what it gives."""
    if draft.chance(0.2):
        return {"key_joiner": draft.function(functions.KEY_JOINERS)}, STRING
    return _plain_joiner(draft)


def _plain_joiner(draft: Draft) -> tuple[dict[str, str], str]:
    joiner = draft.function(functions.JOINERS)
    return {"f": joiner}, given_type("joiners", joiner, STRING)


def _join_windows(draft: Draft) -> dict[str, int]:
    option = {"difference": draft.duration(0, 8)}
    if draft.chance(0.6):
        option["grace"] = draft.duration(0, 8)
    if draft.chance(0.2):
        option["before"] = draft.duration(-option["difference"] // draft.unit, 6)
    elif draft.chance(0.2):
        option["after"] = draft.duration(-option["difference"] // draft.unit, 6)
    return option


def _joined(draft: Draft, of: Node, other: Node) -> dict[str, Any] | None:
    """Say the serdes of both sides, for Java asks the streams for none, and maybe a name."""
    option = draft.serdes(of.key, of.value, other_value=other.value)
    if not option and draft.chance(0.5):
        return None
    if draft.chance(0.3):
        option["name"] = draft.fresh("join-")
    return option


def _stream_result(
    draft: Draft, step: dict[str, Any], of: Node, value: str, *, key_known: bool
) -> None:
    node = Node(draft.fresh("s"), "stream", of.key, value, key_known, windows=of.windows)
    draft.result(step, node)


def _streams(verb: str) -> Verb:
    def draw(draft: Draft) -> None:
        of = sources.stream(draft)
        other = of if draft.chance(0.15) else sources.stream(draft, of.key)
        if of.crowded or other.crowded:
            return
        joiner, value = _joiner(draft)
        option = _joined(draft, of, other)
        if option is not None:
            if draft.chance(0.3):
                option["store_name"] = draft.fresh("joined-")
            if draft.chance(0.4):
                option["store"] = draft.pick(["in_memory", "rocksdb"])
            if draft.chance(0.1):
                option["logging"] = False
        step = draft.add(
            verb, of, other, **joiner, windows=_join_windows(draft), stream_joined=option
        )
        _stream_result(draft, step, of, value, key_known="key" in (option or {}))
        draft.nodes[-1].crowded = True

    return draw


def _stream_table(verb: str) -> Verb:
    def draw(draft: Draft) -> None:
        of = sources.stream(draft)
        if "versions" in draft.features and draft.chance(0.4):
            other = sources.table_source(draft, of.key, versions=1.0)
        else:
            other = sources.table(draft, of.key)
        if not other.can_be_looked_up:
            return
        joiner, value = _joiner(draft)
        option = _joined(draft, of, other)
        if other.history is not None and draft.chance(0.4):
            option = {**(option or {}), "grace": draft.random.randint(0, other.history)}
        step = draft.add(verb, of, other, **joiner, joined=option)
        _stream_result(draft, step, of, value, key_known="key" in (option or {}))

    return draw


def _stream_global(verb: str) -> Verb:
    def draw(draft: Draft) -> None:
        of = sources.stream(draft)
        selector = draft.function(functions.SELECTORS)
        other = sources.global_table(draft, given_type("selectors", selector, of.key))
        joiner, value = _joiner(draft)
        step = draft.add(verb, of, other, key=selector, **joiner, named=draft.name())
        _stream_result(draft, step, of, value, key_known=of.key_known)

    return draw


def _table_result(
    draft: Draft, verb: str, sides: tuple[Node, Node], value: str, **fields: Any
) -> None:
    of, other = sides
    named = draft.name()
    option = None
    if draft.chance(0.5) or value != STRING:
        option = draft.materialized(of.key, value, versions=0.1)
    step = draft.add(verb, of, other, **fields, named=named, materialized=option)
    said = option or {}
    node = Node(
        draft.fresh("t"), "table", of.key, value,
        of.key_known or "key" in said, "value" in said, of.windows, said.get("history"),
    )  # fmt: skip
    draft.result(step, node)


def _tables(verb: str) -> Verb:
    def draw(draft: Draft) -> None:
        of = sources.table(draft)
        other = sources.table(draft, of.key)
        if sources.unsaid(of) or not (of.can_be_looked_up and other.can_be_looked_up):
            return
        fields, value = _plain_joiner(draft)
        _table_result(draft, verb, (of, other), value, **fields)

    return draw


def _by_foreign_key(verb: str) -> Verb:
    def draw(draft: Draft) -> None:
        of = sources.table(draft)
        selectors = dict(functions.SELECTORS)
        if of.windows is not None:
            del selectors["key"]  # Java fails where a foreign key that is windowed is None
        selector = draft.function(selectors)
        other = sources.table(draft, given_type("selectors", selector, of.key))
        # Java takes the tables' own serdes for what goes to and fro.
        if sources.unsaid(of) or sources.unsaid(other):
            return
        if not (of.can_be_looked_up and other.can_be_looked_up):
            return
        fields, value = _plain_joiner(draft)
        _table_result(draft, verb, (of, other), value, key=selector, **fields)

    return draw


VERBS: dict[str, Verb] = {
    "stream_join": _streams("join"),
    "stream_left_join": _streams("left_join"),
    "stream_outer_join": _streams("outer_join"),
    "stream_table_join": _stream_table("join"),
    "stream_table_left_join": _stream_table("left_join"),
    "stream_global_join": _stream_global("join"),
    "stream_global_left_join": _stream_global("left_join"),
    "table_join": _tables("join"),
    "table_left_join": _tables("left_join"),
    "table_outer_join": _tables("outer_join"),
    "foreign_key_join": _by_foreign_key("join"),
    "foreign_key_left_join": _by_foreign_key("left_join"),
}

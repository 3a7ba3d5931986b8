"""Draws the verbs of streams that need no other stream or table but `merge`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.fuzz import functions, sources
from conformance.fuzz.draft import Draft, Node
from conformance.fuzz.functions import LONG, SAME, STRING, given_type

Verb = Callable[[Draft], None]

# Both halves of what a flat_map gives, the key's type and the value's.
_PAIR_TYPES = {"letters": (STRING, SAME), "swap": (STRING, STRING)}


def _derived(draft: Draft, step: dict[str, Any], of: Node, **changes: Any) -> Node:
    """Note a stream like the one it was made of, but for `changes`."""
    fields = {
        "key": of.key,
        "value": of.value,
        "key_known": of.key_known,
        "value_known": of.value_known,
        "windows": of.windows,
        **changes,
    }
    return draft.result(step, Node(draft.fresh("s"), "stream", **fields))


def _keeping(verb: str) -> Verb:
    """Draw a filter."""

    def draw(draft: Draft) -> None:
        of = sources.stream(draft)
        predicate = draft.function(functions.PREDICATES)
        _derived(draft, draft.add(verb, of, f=predicate, named=draft.name()), of)

    return draw


def _revaluing(verb: str, family_name: str, family: dict[str, Any]) -> Verb:
    """Draw a verb that gives new values under the old keys."""

    def draw(draft: Draft) -> None:
        of = sources.stream(draft)
        function = draft.function(family)
        value = given_type(family_name, function, of.value)
        step = draft.add(verb, of, f=function, named=draft.name())
        _derived(draft, step, of, value=value, value_known=False)

    return draw


def _map(draft: Draft) -> None:
    of = sources.stream(draft)
    key, value = draft.function(functions.SELECTORS), draft.function(functions.KEY_MAPPERS)
    step = draft.add("map", of, key=key, value=value, named=draft.name())
    _rekeyed(
        draft,
        step,
        of,
        given_type("selectors", key, of.key),
        given_type("key_mappers", value, of.value),
    )


def _flat_map(draft: Draft) -> None:
    of = sources.stream(draft)
    function = draft.function(functions.PAIR_EXPANDERS)
    key, value = _PAIR_TYPES.get(function, (SAME, SAME))
    step = draft.add("flat_map", of, f=function, named=draft.name())
    _rekeyed(
        draft,
        step,
        of,
        of.key if key == SAME else key,
        of.value if value == SAME else value,
    )


def _rekeyed(draft: Draft, step: dict[str, Any], of: Node, key: str, value: str) -> Node:
    windows = of.windows if key == of.key else None
    return _derived(
        draft, step, of,
        key=key, value=value, key_known=False, value_known=False, windows=windows,
    )  # fmt: skip


def select_key(draft: Draft, of: Node | None = None, selector: str | None = None) -> Node:
    """Draw `select_key`."""
    of = of or sources.stream(draft)
    selector = selector or draft.function(functions.SELECTORS)
    key = given_type("selectors", selector, of.key)
    step = draft.add("select_key", of, f=selector, named=draft.name())
    return _derived(
        draft, step, of,
        key=key, key_known=False, windows=of.windows if key == of.key else None,
    )  # fmt: skip


def _peek(draft: Draft) -> None:
    of = sources.stream(draft)
    _derived(draft, draft.add("peek", of, label=draft.fresh("peek-"), named=draft.name()), of)


def _for_each(draft: Draft) -> None:
    draft.add("for_each", sources.stream(draft), label=draft.fresh("each-"), named=draft.name())


def _print(draft: Draft) -> None:
    label = draft.fresh("print-") if draft.chance(0.5) else None
    draft.add("print", sources.stream(draft), label=label, named=draft.name())


def _split(draft: Draft) -> None:
    of = sources.stream(draft)
    branches: list[dict[str, Any]] = [
        {"f": draft.function(functions.PREDICATES)} for _ in range(draft.random.randint(0, 3))
    ]
    if not branches or draft.chance(0.5):
        branches.append({})
    step = draft.add("split", of, branches=branches, named=draft.name())
    for branch in branches:
        if draft.chance(0.3):
            branch["name"] = draft.fresh("-branch-")
        node = Node(
            draft.fresh("s"), "stream", of.key, of.value, of.key_known, of.value_known, of.windows
        )
        branch["id"] = node.id
        draft.keep(step, node)


def _merge(draft: Draft) -> None:
    of = sources.stream(draft)
    other = sources.stream(draft, of.key, of.value)
    if other is of:
        other = sources.stream_source(draft, of.key, of.value)
    step = draft.add("merge", of, other, named=draft.name())
    _derived(draft, step, of, key_known=False, value_known=False)


def repartition(draft: Draft, of: Node | None = None) -> Node:
    """Draw `repartition`; for the key of the topic Java asks only the option."""
    of = of or sources.stream(draft)
    option = draft.serdes(of.key, of.value, known=["value"] if of.value_known else [])
    if draft.chance(0.4):
        option["name"] = draft.fresh("topic-")
    step = draft.add("repartition", of, repartitioned=option or None)
    return _derived(
        draft, step, of,
        key_known=of.key_known or "key" in option,
        value_known=of.value_known or "value" in option,
    )  # fmt: skip


def to(draft: Draft, of: Node | None = None) -> None:
    """Draw `to`, now and then a topic that another stream is written to as well."""
    of = of or sources.stream(draft)
    known = [
        name for name, is_known in (("key", of.key_known), ("value", of.value_known)) if is_known
    ]
    option = draft.serdes(of.key, of.value, known=known)
    if draft.chance(0.1):
        option["name"] = draft.fresh("name-")
    if draft.chance(0.1):
        draft.add("to", of, topic_by=draft.pick(["letter", "one"]), produced=option or None)
        return
    topic = draft.pick(["out", draft.fresh("out-"), draft.fresh("out-")])
    draft.add("to", of, topic=topic, produced=option or None)


def _process(draft: Draft) -> None:
    of = sources.stream(draft)
    if draft.chance(0.5):
        step = draft.add("process", of, f="count", store=draft.store("count"), named=draft.name())
        _rekeyed(draft, step, of, of.key, LONG)
        return
    timer = {"kind": draft.pick(["stream", "wall"]), "interval": draft.duration(1, 8)}
    step = draft.add(
        "process", of, f="hold", store=draft.store("hold"), timer=timer, named=draft.name()
    )
    _rekeyed(draft, step, of, STRING, STRING)


def _process_values(draft: Draft) -> None:
    of = sources.stream(draft)
    step = draft.add(
        "process_values", of, f="count", store=draft.store("count"), named=draft.name()
    )
    _derived(draft, step, of, value=LONG, value_known=False)


VERBS: dict[str, Verb] = {
    "stream": lambda draft: void(sources.stream_source(draft)),
    "filter": _keeping("filter"),
    "filter_not": _keeping("filter_not"),
    "map": _map,
    "map_values": _revaluing("map_values", "mappers", functions.MAPPERS),
    "map_values_with_key": _revaluing("map_values_with_key", "key_mappers", functions.KEY_MAPPERS),
    "flat_map": _flat_map,
    "flat_map_values": _revaluing("flat_map_values", "expanders", functions.EXPANDERS),
    "flat_map_values_with_key": _revaluing(
        "flat_map_values_with_key", "key_expanders", functions.KEY_EXPANDERS
    ),
    "select_key": lambda draft: void(select_key(draft)),
    "peek": _peek,
    "for_each": _for_each,
    "print": _print,
    "split": _split,
    "merge": _merge,
    "repartition": lambda draft: void(repartition(draft)),
    "to": to,
    "to_table": sources.to_table,
    "process": _process,
    "process_values": _process_values,
}


def void(_node: Node) -> None:
    """Forget what a step gives: it is noted in the draft."""

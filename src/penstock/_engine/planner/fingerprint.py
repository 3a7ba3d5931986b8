"""The shape of a program that its state depends on, and whether a changed program finds its state.

A store is found by its name. If a verb is added or removed, the numbers of the later ones move: a
store may lose its state, or find that of another. So the shape of the last program is stored, and
compared before anything is made or changed. Functions, serdes and stateless verbs are not part of
it; they may change as long as no number moves. Java: none, it starts with wrong state.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from penstock._engine.topology.nodes.stream_nodes import (
    ProcessorNode,
    SinkNode,
    SourceNode,
    parents_of,
)
from penstock._engine.topology.topology import Topology
from penstock._engine.topology.unnamed import remedy_for
from penstock.stores import StoreBuilder

_FORMAT = 1
_ID_LETTERS = 12
_HEADERS = "_with_headers"
_NUMBERED = re.compile(r"-[0-9]{10}(-|$)")


@dataclass(frozen=True, slots=True)
class StoreShape:
    """The properties of a store that must not change if its state is to be reused."""

    kind: str
    window_ms: int | None
    """The length of its windows, if it has any: not stored with the rows, but needed to read them.
    """
    log: str | None
    """The topic it is restored from, without the application's name; None if it is not logged."""
    is_logged_by_source: bool
    """Whether that is the topic its table reads."""
    reads: tuple[str, ...]
    """The user's topics that feed it, directly or through others."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The shape of a program: its stores, its repartition topics and the topics that feed them."""

    stores: Mapping[str, StoreShape]
    topics: Mapping[str, tuple[str, ...]]

    @property
    def id(self) -> str:
        """A short hash of this shape."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:_ID_LETTERS]

    def to_json(self) -> str:
        """Return it as text, the same for the same shape."""
        stores = {name: asdict(shape) for name, shape in self.stores.items()}
        document = {"format": _FORMAT, "stores": stores, "topics": dict(self.topics)}
        return json.dumps(document, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """A difference between two programs, as a sentence; `keeps_state` if it does no harm.

    `moved` is the old and the new name of what looks like the same store or topic.
    """

    text: str
    keeps_state: bool
    moved: tuple[str, str] | None = None


def read_fingerprint(text: str) -> Fingerprint | None:
    """Parse the text of `to_json`; None if a later version of Penstock wrote it."""
    document = json.loads(text)
    if document["format"] != _FORMAT:
        return None
    stores = {
        name: StoreShape(**{**shape, "reads": tuple(shape["reads"])})
        for name, shape in document["stores"].items()
    }
    topics = {name: tuple(reads) for name, reads in document["topics"].items()}
    return Fingerprint(stores, topics)


def fingerprint_of(topology: Topology) -> Fingerprint:
    """Return the shape of a topology; internal topics without the application's name."""
    origins = _Origins(topology)
    stores = {
        name: StoreShape(
            kind=store.kind,
            window_ms=_window_ms(store),
            log=_log_of(topology, store),
            is_logged_by_source=name in topology.source_changelogs,
            reads=origins.of_nodes(_feeders(topology, store)),
        )
        for name, store in topology.stores.items()
        if name not in topology.global_stores
    }
    return Fingerprint(stores, {name: origins.of_topic(name) for name in topology.internal_topics})


def compare(
    before: Fingerprint, now: Fingerprint, exists: Callable[[str], bool] = lambda topic: True
) -> list[ProgramChange]:
    """Return the changes. `exists` returns whether the cluster has an internal topic, by its name
    without the application's: a topic that does not exist cannot be lost.
    """
    return [*_changed_stores(before, now, exists), *_changed_topics(before, now, exists)]


def refusal(
    changes: Iterable[ProgramChange], topology: Topology, application_id: str, accepting: str
) -> str:
    """Return what changed and what to do; `accepting` is the setting that allows the program."""
    harmful = [change for change in changes if not change.keeps_state]
    names = [text for change in harmful if (text := _old_name(change, topology)) is not None]
    keep = f", or give back the old names: {', '.join(names)}" if names else ""
    told = "".join(f"\n  - {change.text}" for change in harmful)
    return (
        f"this is not the program that application {application_id!r} ran last:{told}\n"
        "Nothing was made or changed. You can\n"
        f"  - keep the state: undo the change{keep}\n"
        "  - begin anew: choose another 'application.id', or run 'penstock reset PROGRAM', which "
        "deletes its internal topics, committed offsets and local state\n"
        f"  - let it run as it is: set {accepting}"
    )


def _old_name(change: ProgramChange, topology: Topology) -> str | None:
    """Return what to write where so that a store or topic keeps the name that it had by the order
    of the program; None if no name that the user can give becomes that.
    """
    if change.moved is None:
        return None
    old, new = change.moved
    remedy = remedy_for(new)
    if not remedy.startswith(("Materialized", "Grouped", "Repartitioned")):
        return None
    place = _place_of(topology, new)
    at = "" if place is None else f" at {place}"
    return remedy.replace("...", old.removesuffix("-repartition")) + at


def _place_of(topology: Topology, name: str) -> str | None:
    """Return the user's line that makes a store or writes to a topic."""
    for user in topology.store_users().get(name, []):
        return topology.nodes[user].location
    for node in topology.nodes.values():
        if isinstance(node, SinkNode) and node.topic == name:
            return node.location
    return None


def _changed_stores(
    before: Fingerprint, now: Fingerprint, exists: Callable[[str], bool]
) -> Iterable[ProgramChange]:
    for name in sorted(before.stores.keys() & now.stores.keys()):
        yield from _changed_store(name, before.stores[name], now.stores[name])
    new = {name: now.stores[name] for name in sorted(now.stores.keys() - before.stores.keys())}
    for name in sorted(before.stores.keys() - now.stores.keys()):
        was = before.stores[name]
        successor = _successor(
            name, was.reads, {n: s.reads for n, s in new.items() if _alike(was, s)}
        )
        loses = was.log is not None and not was.is_logged_by_source and exists(was.log)
        if successor is None or not loses:
            yield ProgramChange(f"store {name!r} is gone", keeps_state=True)
        else:
            del new[successor]
            yield ProgramChange(
                f"store {name!r} is gone and {successor!r} is new, which looks like the same one "
                "under another name: it would begin empty",
                keeps_state=False,
                moved=(name, successor),
            )
    for name in new:
        yield ProgramChange(f"store {name!r} is new and begins empty", keeps_state=True)


def _changed_store(name: str, was: StoreShape, is_now: StoreShape) -> Iterable[ProgramChange]:
    if _differ_in_headers(was, is_now):
        has = "holds headers now" if is_now.kind.endswith(_HEADERS) else "holds no headers any more"
        text = f"store {name!r} {has}: its rows are restored from {_shown(is_now.log)}"
        yield ProgramChange(text, keeps_state=True)
    elif was.kind != is_now.kind:
        text = (
            f"store {name!r} was of kind {was.kind!r} and is of kind {is_now.kind!r}: the rows "
            "that it has would be read wrong"
        )
        yield ProgramChange(text, keeps_state=False)
    if _without_headers(was) == _without_headers(is_now) and was.window_ms != is_now.window_ms:
        text = (
            f"the windows of store {name!r} lasted {was.window_ms} ms and last {is_now.window_ms}"
        )
        yield ProgramChange(text, keeps_state=False)
    if was.log != is_now.log:
        either_none = was.log is None or is_now.log is None
        text = (
            f"store {name!r} was restored from {_shown(was.log)} and is restored from "
            f"{_shown(is_now.log)}"
        )
        yield ProgramChange(text, keeps_state=either_none)
    if _are_others(name, was.reads, is_now.reads):
        yield ProgramChange(
            f"store {name!r} was fed from {_listed(was.reads)} and is fed from "
            f"{_listed(is_now.reads)}: it would find the state of another",
            keeps_state=False,
        )


def _differ_in_headers(was: StoreShape, is_now: StoreShape) -> bool:
    """Return whether a changelog fits a store before and after: one has room for headers."""
    is_same = _without_headers(was) == _without_headers(is_now)
    return was.kind != is_now.kind and is_same and was.log == is_now.log is not None


def _without_headers(store: StoreShape) -> str:
    return store.kind.removesuffix(_HEADERS)


def _changed_topics(
    before: Fingerprint, now: Fingerprint, exists: Callable[[str], bool]
) -> Iterable[ProgramChange]:
    for name in sorted(before.topics.keys() & now.topics.keys()):
        was, is_now = before.topics[name], now.topics[name]
        if _are_others(name, was, is_now):
            yield ProgramChange(
                f"topic {name!r} was fed from {_listed(was)} and is fed from {_listed(is_now)}: "
                "what is under way in it would be taken for something else",
                keeps_state=False,
            )
    new = {name: now.topics[name] for name in sorted(now.topics.keys() - before.topics.keys())}
    for name in sorted(before.topics.keys() - now.topics.keys()):
        successor = _successor(name, before.topics[name], new)
        if successor is None or not exists(name):
            yield ProgramChange(f"topic {name!r} is gone", keeps_state=True)
        else:
            del new[successor]
            yield ProgramChange(
                f"topic {name!r} is gone and {successor!r} is new, which looks like the same one "
                "under another name: what is under way in the old one would be lost",
                keeps_state=False,
                moved=(name, successor),
            )


def _successor(
    name: str, reads: tuple[str, ...], candidates: Mapping[str, tuple[str, ...]]
) -> str | None:
    """Return the candidate that most likely replaces `name`: fed from the same topics, and with the
    same name except for the number.
    """

    def likeness(candidate: str) -> tuple[bool, int]:
        same_verb = _NUMBERED.sub("-", candidate) == _NUMBERED.sub("-", name)
        return same_verb, len(set(candidates[candidate]) & set(reads))

    related = [candidate for candidate, fed in candidates.items() if set(fed) & set(reads)]
    return max(related, key=likeness, default=None)


def _are_others(name: str, was: tuple[str, ...], is_now: tuple[str, ...]) -> bool:
    """Return whether other inputs mean another store or topic. A numbered name depends on the order
    of the program: any other input does. One that the user gave may gain or lose some inputs.
    """
    if _NUMBERED.search(name):
        return was != is_now
    return bool(was) and bool(is_now) and not set(was) & set(is_now)


def _alike(one: StoreShape, other: StoreShape) -> bool:
    return one.kind == other.kind and one.window_ms == other.window_ms


def _feeders(topology: Topology, store: StoreBuilder) -> list[str]:
    """Return the nodes that write a store: those that own it, else all that use it."""
    users = topology.store_users().get(store.name, [])
    owners = [name for name in users if _owns(topology.nodes[name], store)]
    return owners or users


def _owns(node: Any, store: StoreBuilder) -> bool:
    return isinstance(node, ProcessorNode) and any(
        own.name == store.name for own in node.operation.own_stores()
    )


def _log_of(topology: Topology, store: StoreBuilder) -> str | None:
    source = topology.source_changelogs.get(store.name)
    return source or (f"{store.name}-changelog" if store.logged else None)


def _window_ms(store: StoreBuilder) -> int | None:
    return None if store.times is None else store.times.window_size_ms or None


def _shown(log: str | None) -> str:
    return "no topic" if log is None else f"topic {log!r}"


def _listed(topics: tuple[str, ...]) -> str:
    return ", ".join(map(repr, topics)) or "nothing"


class _Origins:
    """The user's topics from which the records of each node come."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._by_node: dict[str, frozenset[str]] = dict.fromkeys(topology.nodes, frozenset())
        self._by_topic: dict[str, frozenset[str]] = dict.fromkeys(
            topology.internal_topics, frozenset()
        )
        # Topics may feed each other in a cycle: repeat until nothing changes.
        while self._propagate():
            pass

    def of_nodes(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(frozenset().union(*(self._by_node[name] for name in names))))

    def of_topic(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(self._by_topic[name]))

    def _propagate(self) -> bool:
        changed = False
        for name, node in self._topology.nodes.items():
            above = self._read_by(node) if isinstance(node, SourceNode) else frozenset()
            known = above.union(*(self._by_node[parent] for parent in parents_of(node)))
            changed = changed or known != self._by_node[name]
            self._by_node[name] = known
            if isinstance(node, SinkNode) and node.topic in self._by_topic:
                topic = str(node.topic)
                changed = changed or not known <= self._by_topic[topic]
                self._by_topic[topic] |= known
        return changed

    def _read_by(self, source: SourceNode) -> frozenset[str]:
        if source.pattern is not None:
            return frozenset({source.pattern.pattern})
        own = frozenset(topic for topic in source.topics if topic not in self._by_topic)
        return own.union(*(self._by_topic.get(topic, frozenset()) for topic in source.topics))

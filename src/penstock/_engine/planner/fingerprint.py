"""What of a program its state depends on, and whether a changed program would find its state again.

A store is found by its name. If a verb is put in or taken out, the numbers of those behind it move:
a store may lose its state, or find that of another. So the shape of the program that ran last is
remembered and compared before anything is made or changed. Functions, serdes and stateless verbs
are no part of it; they may change as long as nothing moves. Java: none, it starts and is wrong.
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
_NUMBERED = re.compile(r"-[0-9]{10}(-|$)")


@dataclass(frozen=True, slots=True)
class StoreShape:
    """What must not change of a store whose state is to be used again."""

    kind: str
    window_ms: int | None
    """The length of its windows, if it has any: it is no part of what is stored, but of what it
    means.
    """
    log: str | None
    """The topic it is restored from, without the application's name; None if it is not logged."""
    is_logged_by_source: bool
    """Whether that is the topic its table reads."""
    reads: tuple[str, ...]
    """The user's topics that it is fed from, near or far."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The shape of a program: its stores, its repartition topics and what these are fed from."""

    stores: Mapping[str, StoreShape]
    topics: Mapping[str, tuple[str, ...]]

    @property
    def id(self) -> str:
        """A short name of exactly this shape."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:_ID_LETTERS]

    def to_json(self) -> str:
        """Write it as text, the same for the same shape."""
        stores = {name: asdict(shape) for name, shape in self.stores.items()}
        document = {"format": _FORMAT, "stores": stores, "topics": dict(self.topics)}
        return json.dumps(document, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class ProgramChange:
    """A difference between two programs, as a sentence; `keeps_state` tells that it does no harm.

    `moved` are the old and the new name of what looks like the same store or topic.
    """

    text: str
    keeps_state: bool
    moved: tuple[str, str] | None = None


def read_fingerprint(text: str) -> Fingerprint | None:
    """Read what `to_json` wrote; None if a later version of Penstock wrote it."""
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
    """Give the shape of a topology; internal topics without the application's name."""
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
    """Give what changed. `exists` tells of an internal topic, by its name without the
    application's, whether the cluster has it: what is not there cannot be lost.
    """
    return [*_changed_stores(before, now, exists), *_changed_topics(before, now, exists)]


def refusal(
    changes: Iterable[ProgramChange], topology: Topology, application_id: str, accepting: str
) -> str:
    """Say what changed and what to do; `accepting` is the setting that lets the program run."""
    harmful = [change for change in changes if not change.keeps_state]
    names = [text for change in harmful if (text := _old_name(change, topology)) is not None]
    keep = f", or give back the old names: {', '.join(names)}" if names else ""
    return (
        f"this is not the program that application {application_id!r} ran last: "
        f"{'; '.join(change.text for change in harmful)}; nothing was made or changed; to keep the "
        f"state, undo the change{keep}; to begin anew, choose another 'application.id' or reset "
        "the application (delete its internal topics, its committed offsets and its local state); "
        f"to let it run as it is, set {accepting}"
    )


def _old_name(change: ProgramChange, topology: Topology) -> str | None:
    """Say what to write where so that a store or topic has the name that the program's order gave
    it before; None if no name of the user's becomes that.
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
    """Give where the user wrote what brings a store or writes to a topic."""
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
    if was.kind != is_now.kind:
        text = f"store {name!r} was of kind {was.kind!r} and is of kind {is_now.kind!r}"
        yield ProgramChange(text, keeps_state=False)
    elif was.window_ms != is_now.window_ms:
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
    """Give the candidate that most likely took the place of `name`: fed from the same topics, and
    called alike but for the number.
    """

    def likeness(candidate: str) -> tuple[bool, int]:
        same_verb = _NUMBERED.sub("-", candidate) == _NUMBERED.sub("-", name)
        return same_verb, len(set(candidates[candidate]) & set(reads))

    related = [candidate for candidate, fed in candidates.items() if set(fed) & set(reads)]
    return max(related, key=likeness, default=None)


def _are_others(name: str, was: tuple[str, ...], is_now: tuple[str, ...]) -> bool:
    """Tell whether what is fed from other topics is another thing: a name with a number in it means
    what the program's order makes of it, one of the user's may gain or lose some of its inputs.
    """
    if _NUMBERED.search(name):
        return was != is_now
    return bool(was) and bool(is_now) and not set(was) & set(is_now)


def _alike(one: StoreShape, other: StoreShape) -> bool:
    return one.kind == other.kind and one.window_ms == other.window_ms


def _feeders(topology: Topology, store: StoreBuilder) -> list[str]:
    """Give the nodes that write a store: those that bring it along, else all that use it."""
    users = topology.store_users().get(store.name, [])
    owners = [name for name in users if _brings(topology.nodes[name], store)]
    return owners or users


def _brings(node: Any, store: StoreBuilder) -> bool:
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
    """From which topics of the user's the records of each node come."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._by_node: dict[str, frozenset[str]] = dict.fromkeys(topology.nodes, frozenset())
        self._by_topic: dict[str, frozenset[str]] = dict.fromkeys(
            topology.internal_topics, frozenset()
        )
        # Topics may feed each other in a circle: go round until nobody learns anything new.
        while self._learn():
            pass

    def of_nodes(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(frozenset().union(*(self._by_node[name] for name in names))))

    def of_topic(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(self._by_topic[name]))

    def _learn(self) -> bool:
        learnt = False
        for name, node in self._topology.nodes.items():
            above = self._read_by(node) if isinstance(node, SourceNode) else frozenset()
            known = above.union(*(self._by_node[parent] for parent in parents_of(node)))
            learnt = learnt or known != self._by_node[name]
            self._by_node[name] = known
            if isinstance(node, SinkNode) and node.topic in self._by_topic:
                topic = str(node.topic)
                learnt = learnt or not known <= self._by_topic[topic]
                self._by_topic[topic] |= known
        return learnt

    def _read_by(self, source: SourceNode) -> frozenset[str]:
        if source.pattern is not None:
            return frozenset({source.pattern.pattern})
        own = frozenset(topic for topic in source.topics if topic not in self._by_topic)
        return own.union(*(self._by_topic.get(topic, frozenset()) for topic in source.topics))

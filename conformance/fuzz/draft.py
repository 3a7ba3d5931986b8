"""A program being drawn at random: its steps so far, and what new steps may be applied to."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from conformance.fuzz.description import Step

T = TypeVar("T")


@dataclass(slots=True)
class Node:
    """The result of a step: what it is, and the types of its keys and values.

    Types are named as serdes are. `key_known` and `value_known` tell whether Java knows the serde
    without being told again; where neither is so and the type is not string, the default, an option
    must say it.
    """

    id: str
    kind: str
    key: str
    value: str
    key_known: bool = False
    value_known: bool = False
    windows: dict[str, Any] | None = None
    """Of what is windowed, or keyed by windows."""
    history: int | None = None
    """How long a versioned table remembers, in ms."""
    crowded: bool = False
    """Whether two streams were joined somewhere above: one record may have become very many."""
    can_be_looked_up: bool = True
    """False for a windowed cogroup, and what is made of it: Java fails to read its store."""


@dataclass(slots=True)
class Input:
    """A topic that the program reads."""

    topic: str
    kind: str
    key: str
    value: str


@dataclass(slots=True)
class Draft:
    """Steps and results so far; `unit` is the time, in ms, in which the program thinks."""

    random: random.Random
    unit: int
    features: Collection[str] = ()
    cache_bytes: int = 0
    fails: bool = False
    steps: list[Step] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    stores: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Stores of processors, each with the kind of processor that uses it."""
    _number: int = 0

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, choices: Sequence[T]) -> T:
        return self.random.choice(choices)

    def function(self, family: Iterable[str]) -> str:
        """Pick a function; one that fails only if the program takes failures in its stride."""
        return self.pick([name for name in family if self.fails or "fail" not in name])

    def duration(self, least: int, most: int) -> int:
        """Give a time in units, now and then one that is no multiple of the unit."""
        exact = self.random.randint(least, most) * self.unit
        return exact + 1 if self.unit > 1 and self.chance(0.1) else exact

    def fresh(self, prefix: str) -> str:
        """Give a name that nothing else in the program has."""
        self._number += 1
        return f"{prefix}{self._number}"

    def add(self, verb: str, *of: Node, **fields: Any) -> Step:
        """Draw a step; `of` are what it is applied to, fields that are None are left out."""
        step: Step = {"verb": verb}
        for field_name, node in zip(("of", "with"), of, strict=False):
            step[field_name] = node.id
            self.used.add(node.id)
        step.update((name, value) for name, value in fields.items() if value is not None)
        self.steps.append(step)
        return step

    def result(self, step: Step, node: Node) -> Node:
        """Note what a step gives."""
        step["id"] = node.id
        self.keep(step, node)
        return node

    def keep(self, step: Step, node: Node) -> None:
        """Note one of several things that a step gives."""
        above = {step.get("of"), step.get("with")}
        node.crowded |= any(parent.crowded for parent in self.nodes if parent.id in above)
        self.nodes.append(node)

    def store(self, user: str) -> dict[str, Any]:
        """Say the store of a processor, now and then one that another of its kind has."""
        shared = [option for kind, option in self.stores if kind == user]
        if shared and self.chance(0.3):
            return {**self.pick(shared), "shared": True}
        option: dict[str, Any] = {
            "name": self.fresh("store-"),
            "store": self.pick(["in_memory", "rocksdb"]),
        }
        if self.chance(0.3):
            option["caching"] = True
        if self.chance(0.1):
            option["logging"] = False
        self.stores.append((user, option))
        return option

    def name(self) -> str | None:
        """Give a name for a node, mostly none."""
        return self.fresh("name-") if self.chance(0.2) else None

    def existing(self, kind: str, wanted: Callable[[Node], bool] = lambda node: True) -> list[Node]:
        """Give the results of a kind, the latest last."""
        return [node for node in self.nodes if node.kind == kind and wanted(node)]

    def recent(self, nodes: Sequence[Node]) -> Node:
        """Pick one, rather a late one: programs should be deep, not only broad."""
        position = max(self.random.random(), self.random.random())
        return nodes[int(position * len(nodes))]

    def serdes(
        self,
        key: str | None,
        value: str | None,
        *,
        known: Iterable[str] = (),
        **others: str,
    ) -> dict[str, Any]:
        """Say the serdes that must be said, and some that need not be."""
        given: dict[str, Any] = {}
        for field_name, type_ in {"key": key, "value": value, **others}.items():
            if type_ is None:
                continue
            needless = type_ == "string" or field_name in known
            if not needless or self.chance(0.3):
                given[field_name] = type_
        return given

    def materialized(
        self,
        key: str,
        value: str,
        *,
        known: Iterable[str] = (),
        versions: float = 0.0,
    ) -> dict[str, Any] | None:
        """Say how a table is kept; None for nothing said, unless a serde must be. With the
        probability of `versions` it remembers them.
        """
        option = self.serdes(key, value, known=known)
        if "versions" in self.features and self.chance(versions):
            return {**option, "name": self.fresh("store-"), "history": self.duration(1, 30)}
        if not option and self.chance(0.5):
            return None
        if self.chance(0.5):
            option["name"] = self.fresh("store-")
        if self.chance(0.4):
            option["store"] = self.pick(["in_memory", "rocksdb"])
        if self.chance(0.2):
            option["caching"] = False
        if self.chance(0.1):
            option["logging"] = False
        return option

"""The result of `Topology.describe()`: plain data, whose `str()` is Java's text, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """A source node; it reads `topics`, or all that match `pattern`."""

    name: str
    topics: tuple[str, ...]
    pattern: str | None
    successors: tuple[str, ...]

    def __str__(self) -> str:
        topics = _bracketed(self.topics) if self.pattern is None else self.pattern
        return f"Source: {self.name} (topics: {topics})\n      --> {_listed(self.successors)}"


@dataclass(frozen=True, slots=True)
class ProcessorDescription:
    """A processor node and the stores it may use."""

    name: str
    stores: tuple[str, ...]
    successors: tuple[str, ...]
    predecessors: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"Processor: {self.name} (stores: {_bracketed(self.stores)})\n"
            f"      --> {_listed(self.successors)}\n"
            f"      <-- {_listed(self.predecessors)}"
        )


@dataclass(frozen=True, slots=True)
class SinkDescription:
    """A sink node; exactly one of `topic` and `extractor` is set."""

    name: str
    topic: str | None
    extractor: str | None
    predecessors: tuple[str, ...]

    def __str__(self) -> str:
        target = (
            f"topic: {self.topic}"
            if self.topic is not None
            else f"extractor class: {self.extractor}"
        )
        return f"Sink: {self.name} ({target})\n      <-- {_listed(self.predecessors)}"


NodeDescription: TypeAlias = SourceDescription | ProcessorDescription | SinkDescription


@dataclass(frozen=True, slots=True)
class SubtopologyDescription:
    """The nodes of one task, those with the most nodes below them first."""

    id: int
    nodes: tuple[NodeDescription, ...]

    def __str__(self) -> str:
        lines = "".join(f"    {node}\n" for node in self.nodes)
        return f"Sub-topology: {self.id}\n{lines}\n"


@dataclass(frozen=True, slots=True)
class GlobalStoreDescription:
    """A store of which every worker has a full copy, and the nodes that feed it."""

    id: int
    source: SourceDescription
    processor: ProcessorDescription

    def __str__(self) -> str:
        return (
            f"Sub-topology: {self.id} for global store (will not generate tasks)\n"
            f"    {self.source}\n    {self.processor}\n"
        )


@dataclass(frozen=True, slots=True)
class TopologyDescription:
    """All sub-topologies and global stores. Java: TopologyDescription.

    >>> described = Topology().add_source("in", "orders").describe()
    >>> described.subtopologies[0].nodes[0].topics
    ('orders',)
    """

    subtopologies: tuple[SubtopologyDescription, ...]
    global_stores: tuple[GlobalStoreDescription, ...]

    def __str__(self) -> str:
        parts: list[SubtopologyDescription | GlobalStoreDescription] = [
            *self.subtopologies,
            *self.global_stores,
        ]
        parts.sort(key=lambda part: part.id)
        return "Topologies:\n " + "".join(f"  {part}" for part in parts)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _bracketed(names: Iterable[str]) -> str:
    return f"[{', '.join(names)}]"

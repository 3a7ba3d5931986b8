"""The drawing surface of one `StreamsBuilder`: the steps of a program in the order it says them.

A step is frozen; drawing appends steps, and a step that grows (a split that gets another branch) is
replaced. `build.py` rewrites the steps and writes them into a `Topology`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from penstock._engine.topology.naming import NameCounter
from penstock._engine.topology.nodes import AnyFunction, AnySerde, Operation
from penstock.errors import user_location
from penstock.stores import StoreBuilder
from penstock.timestamps import TimestampExtractor

REPARTITION_SUFFIX = "-repartition"
_GENERATED_NAME = re.compile(r"KSTREAM.*-[0-9]{10}")


@dataclass(frozen=True, slots=True)
class StreamSource:
    """`builder.stream(...)`."""

    name: str
    topics: tuple[str, ...]
    pattern: re.Pattern[str] | None
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    timestamp_extractor: TimestampExtractor | None
    offset_reset: str | None


@dataclass(frozen=True, slots=True)
class Process:
    """A verb that becomes one processor node."""

    name: str
    operation: Operation
    stores: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repartition:
    """Out to an internal topic and back: a null-key filter, a sink and, in the next sub-topology, a
    source.
    """

    filter_name: str
    sink_name: str
    source_name: str
    topic: str
    partitions: int | None
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    partitioner: AnyFunction | None

    @property
    def name(self) -> str:
        """The node that the next verb hangs on."""
        return self.source_name


@dataclass(frozen=True, slots=True)
class StreamSink:
    """`stream.to(...)`."""

    name: str
    topic: str | AnyFunction
    key_serde: AnySerde | None
    value_serde: AnySerde | None
    partitioner: AnyFunction | None


@dataclass(frozen=True, slots=True)
class StateStore:
    """`builder.add_state_store(...)`: no node, but there from here on."""

    store: StoreBuilder

    @property
    def name(self) -> str:
        return self.store.name


Drawing: TypeAlias = StreamSource | Process | Repartition | StreamSink | StateStore


@dataclass(frozen=True, slots=True)
class Step:
    """A drawing, what it hangs on (indices of earlier steps) and where the user wrote it."""

    drawing: Drawing
    parents: tuple[int, ...]
    location: str | None


class Graph:
    """The steps drawn so far, and the counter that names them."""

    def __init__(self) -> None:
        self.names = NameCounter()
        self.steps: list[Step] = []

    def add(self, drawing: Drawing, *parents: int) -> int:
        """Draw a step and give its index."""
        self.steps.append(Step(drawing, tuple(dict.fromkeys(parents)), user_location()))
        return len(self.steps) - 1

    def redraw(self, index: int, drawing: Drawing) -> None:
        """Put `drawing` in the place of an earlier one."""
        step = self.steps[index]
        self.steps[index] = Step(drawing, step.parents, step.location)


@dataclass(frozen=True, slots=True)
class RepartitionNames:
    """The three nodes and the topic of a repartition step."""

    topic: str
    sink: str
    filter: str
    source: str


def repartition_names(names: NameCounter, prefix: str) -> RepartitionNames:
    """Name a repartition step; the three numbers are used up even where the user's name is used."""
    topic = prefix if prefix.endswith(REPARTITION_SUFFIX) else prefix + REPARTITION_SUFFIX
    sink = names.processor("KSTREAM-SINK-")
    null_key_filter = names.processor("KSTREAM-FILTER-")
    source = names.processor("KSTREAM-SOURCE-")
    if _GENERATED_NAME.fullmatch(prefix):
        return RepartitionNames(topic, sink, null_key_filter, source)
    return RepartitionNames(topic, f"{topic}-sink", f"{topic}-filter", f"{topic}-source")

"""The rewrites that `topology.optimization` asks for: each gives new steps, none changes what a
program computes.

- `reuse.ktable.source.topics`: a table that reads a topic needs no changelog, the topic is one.
- `merge.repartition.topics`: what is below one change of key shares one repartition topic.
- `single.store.self.join` is in `self_joins.py`.

Shapes, names and order are Java's, where it has the shape wrong too: then we say so. Java:
InternalStreamsBuilder.optimizeTopology.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from penstock._engine.topology.graph import (
    Process,
    Repartition,
    RepartitionNames,
    Step,
    TableFromTopic,
)
from penstock._engine.topology.nodes.stream_nodes import AnySerde, PassThrough
from penstock.errors import TopologyError

_LOG = logging.getLogger(__name__)

REUSE_SOURCE_TOPICS = "reuse.ktable.source.topics"
MERGE_REPARTITION_TOPICS = "merge.repartition.topics"
SINGLE_STORE_SELF_JOIN = "single.store.self.join"


@dataclass(frozen=True, slots=True)
class Merged:
    """The steps after the repartition topics were merged, and the sources that took the place of
    others.
    """

    steps: dict[int, Step]
    sources: Mapping[str, str]


def reuse_source_topics(steps: Mapping[int, Step]) -> dict[int, Step]:
    """Let each table that reads a topic have it for a changelog."""
    return {
        index: replace(step, drawing=replace(step.drawing, is_own_changelog=True))
        if isinstance(step.drawing, TableFromTopic)
        else step
        for index, step in steps.items()
    }


def merge_repartition_topics(steps: Mapping[int, Step]) -> Merged:
    """Let all that is below one change of key, with no change of value between, share one topic.

    It stands right behind the change of key and has the name of the first that it replaces; what
    was between moves behind it.
    """
    return _Merging(steps).done()


class _Merging:
    """The steps while they are being hung on others."""

    def __init__(self, steps: Mapping[int, Step]) -> None:
        self._drawn = steps
        self._steps = dict(steps)
        self._parents = {index: list(step.parents) for index, step in steps.items()}
        self._sources: dict[str, str] = {}

    def done(self) -> Merged:
        for changer, replaced in self._topics_below_changes_of_key().items():
            if replaced:
                self._merge(changer, replaced)
        steps = {
            index: replace(step, parents=tuple(self._parents[index]))
            for index, step in self._steps.items()
        }
        return Merged(steps, self._sources)

    def _topics_below_changes_of_key(self) -> dict[int, list[int]]:
        """Give the repartition steps that can be merged, by the change of key above them. Where
        streams come together first, their merge stands for the changes of key above it.
        """
        below: dict[int, list[int]] = {}
        for index, step in sorted(self._steps.items()):
            if _changes_key(step):
                below[index] = []
            elif isinstance(step.drawing, Repartition) and step.drawing.mergeable:
                changer = self._nearest(index, lambda above: _changes_key(self._steps[above]))
                if changer is not None and changer == self._nearest(index, self._changes_record):
                    below[changer].append(index)
        merges = [index for index, step in sorted(self._steps.items()) if _merges_streams(step)]
        joined = {merge: self._changers_above_merge(merge, below) for merge in merges}
        for merge, changers in joined.items():
            topics = [topic for changer in changers for topic in below[changer]]
            below[merge] = list(dict.fromkeys(topics))
        for changer in {changer for changers in joined.values() for changer in changers}:
            del below[changer]
        return below

    def _changers_above_merge(self, merge: int, below: Mapping[int, list[int]]) -> list[int]:
        """Give the changes of key above a merge of streams all of whose topics are below it."""
        return [
            changer
            for changer, topics in below.items()
            if all(self._step_under(merge, topic) is not None for topic in topics)
            and self._step_under(changer, merge) is not None
        ]

    def _merge(self, changer: int, replaced: list[int]) -> None:
        parents, merged = self._parents, max(self._steps) + 1
        self._steps[merged] = self._shared_topic(changer, replaced)
        parents[merged] = []
        for topic in replaced:
            moved = self._step_under(changer, topic)
            if moved is None:
                raise _not_possible(self._drawn[topic], self._drawn[changer])
            parents[moved].append(merged)
            parents[moved].remove(changer)
            self._tell_of_records_that_miss(merged, topic, self._bypass(topic))
            self._sources[self._drawn[topic].drawing.name] = self._steps[merged].drawing.name
        for topic in replaced:
            self._steps.pop(topic, None)
        parents[merged].append(changer)

    def _shared_topic(self, changer: int, replaced: list[int]) -> Step:
        drawings = [self._drawn[topic].drawing for topic in replaced]
        topics = [drawing for drawing in drawings if isinstance(drawing, Repartition)]
        name = topics[0].called.topic
        called = RepartitionNames(name, f"{name}-sink", f"{name}-filter", f"{name}-source")
        shared = Repartition(
            called,
            _first([topic.key_serde for topic in topics]),
            _first([topic.value_serde for topic in topics]),
        )
        # With the priority of the change of key it is written right behind it.
        location, priority = self._drawn[replaced[0]].location, self._drawn[changer].priority
        return Step(shared, (), location, priority)

    def _bypass(self, topic: int) -> list[int]:
        """Hang what is below a topic on what is above it; give the latter."""
        parents, above = self._parents, self._parents[topic]
        for index, hangs_on in parents.items():
            if topic in hangs_on:
                parents[index] = [
                    *(parent for parent in hangs_on if parent != topic),
                    *(parent for parent in above if parent not in hangs_on),
                ]
        parents[topic] = []
        return above

    def _tell_of_records_that_miss(self, merged: int, topic: int, above: list[int]) -> None:
        """Warn if there is a way to what was below `topic` that does not lead through the shared
        topic. Java builds it all the same.
        """
        ways, seen = list(above), {merged}
        while ways:
            at = ways.pop()
            if at in seen:
                continue
            seen.add(at)
            if not self._parents[at]:
                _LOG.warning(
                    "topic=%s step=%s (at %s) is not read through the shared repartition topic by "
                    "what is at %s: records of one key may lie in several partitions, in Kafka "
                    "Streams too; write .repartition() before the merge, or leave out %s",
                    _topic_of(self._steps[merged]),
                    self._steps[at].drawing.name,
                    self._steps[at].location,
                    self._drawn[topic].location,
                    MERGE_REPARTITION_TOPICS,
                )
            ways += self._parents[at]

    def _step_under(self, above: int, below: int) -> int | None:
        """Give the step on the way up from `below`, itself included, that hangs on `above`."""
        return self._nearest(below, lambda index: above in self._parents[index])

    def _changes_record(self, index: int) -> bool:
        step = self._steps[index]
        return _changes_key(step) or _changes_value(step)

    def _nearest(self, start: int, wanted: Callable[[int], bool]) -> int | None:
        """Give the first step on the ways up from `start`, itself included, that is wanted; each
        way is gone to its end before the next.
        """
        if wanted(start):
            return start
        for parent in self._parents[start]:
            found = self._nearest(parent, wanted)
            if found is not None:
                return found
        return None


def _changes_key(step: Step) -> bool:
    return isinstance(step.drawing, Process) and step.drawing.operation.changes_key


def _changes_value(step: Step) -> bool:
    return isinstance(step.drawing, Process) and step.drawing.operation.changes_value


def _merges_streams(step: Step) -> bool:
    drawing = step.drawing
    return (
        isinstance(drawing, Process)
        and isinstance(drawing.operation, PassThrough)
        and drawing.operation.merges
    )


def _first(serdes: list[AnySerde | None]) -> AnySerde | None:
    return next((serde for serde in serdes if serde is not None), None)


def _not_possible(topic: Step, changer: Step) -> TopologyError:
    return TopologyError(
        f"the repartition topic {_topic_of(topic)!r} cannot be merged with others below the change "
        f"of key at {changer.location}: they share the steps between, and Kafka Streams cannot do "
        "it either; let all aggregations share one grouping that has a name, "
        f"group_by_key(Grouped('...')), or leave out {MERGE_REPARTITION_TOPICS!r}",
        topic.location,
    )


def _topic_of(step: Step) -> str:
    assert isinstance(step.drawing, Repartition)
    return step.drawing.called.topic

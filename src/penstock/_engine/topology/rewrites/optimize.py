"""The rewrites of `topology.optimization`: each returns new steps, none changes what a program
computes.

- `reuse.ktable.source.topics`: a table that reads a topic needs no changelog, the topic is one.
- `merge.repartition.topics`: the steps below one change of key share one repartition topic.
- `single.store.self.join`: a stream that is joined with itself keeps its records once.

Shapes, names and order are Java's, also where Java's shape is wrong: then a warning says so. Java:
InternalStreamsBuilder.optimizeTopology.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from penstock._engine.topology.graph import (
    ProcessorDrawing,
    Repartition,
    RepartitionNames,
    Step,
    StreamJoin,
    TableFromTopic,
)
from penstock._engine.topology.nodes.stream_nodes import AnySerde, PassThrough
from penstock.errors import TopologyError

_log = logging.getLogger(__name__)

REUSE_SOURCE_TOPICS = "reuse.ktable.source.topics"
MERGE_REPARTITION_TOPICS = "merge.repartition.topics"
SINGLE_STORE_SELF_JOIN = "single.store.self.join"


@dataclass(frozen=True, slots=True)
class Merged:
    """The steps with merged repartition topics, and which source replaces each removed one."""

    steps: dict[int, Step]
    sources: Mapping[str, str]


def reuse_source_topics(steps: Mapping[int, Step]) -> dict[int, Step]:
    """Make the topic of each table from a topic its changelog."""
    return {
        index: replace(step, drawing=replace(step.drawing, is_own_changelog=True))
        if isinstance(step.drawing, TableFromTopic)
        else step
        for index, step in steps.items()
    }


def merge_repartition_topics(steps: Mapping[int, Step]) -> Merged:
    """Replace the repartition topics below each change of key, with no change of value between, by
    one topic.

    It follows the change of key and has the name of the first topic that it replaces; the steps
    between move below it.
    """
    return _Merging(steps).done()


def single_store_self_joins(steps: dict[int, Step]) -> dict[int, Step]:
    """Replace the two stores of each join of a stream with itself by one.

    Two streams of one topic count as one: their sources have been shared before. Like Java, this
    ignores the kind of join: a left or outer one is rewritten too, since every record matches
    itself, and then drops records without a key. Java: rewriteSingleStoreSelfJoin.
    """
    rewritten = dict(steps)
    by_name = {step.drawing.name: index for index, step in steps.items()}
    for index, step in steps.items():
        join = step.drawing
        if isinstance(join, StreamJoin) and len(step.parents) == 1:
            del rewritten[by_name[join.other_kept_by]]
            alone = ProcessorDrawing(join.name, join.alone)
            rewritten[index] = replace(step, drawing=alone, parents=(by_name[join.this_kept_by],))
    return rewritten


class _Merging:
    """The steps during the rewrite, with mutable parents."""

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
        """Return the repartition steps that can be merged, by the change of key above them. A merge
        of streams between replaces the changes of key above it.
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
        """Return the changes of key above a merge of streams all of whose topics are below it."""
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
            self._warn_of_bypass(merged, topic, self._bypass(topic))
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
        # With the priority of the change of key it is written right after it.
        location, priority = self._drawn[replaced[0]].location, self._drawn[changer].priority
        return Step(shared, (), location, priority)

    def _bypass(self, topic: int) -> list[int]:
        """Connect the steps below a topic to those above it; return the latter."""
        parents, above = self._parents, self._parents[topic]
        for index, own in parents.items():
            if topic in own:
                parents[index] = [
                    *(parent for parent in own if parent != topic),
                    *(parent for parent in above if parent not in own),
                ]
        parents[topic] = []
        return above

    def _warn_of_bypass(self, merged: int, topic: int, above: list[int]) -> None:
        """Warn if a path to the steps below `topic` bypasses the shared topic; Java is silent."""
        ways, seen = list(above), {merged}
        while ways:
            at = ways.pop()
            if at in seen:
                continue
            seen.add(at)
            if not self._parents[at]:
                _log.warning(
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
        """Return the step from `below` upwards, itself included, whose parent is `above`."""
        return self._nearest(below, lambda index: above in self._parents[index])

    def _changes_record(self, index: int) -> bool:
        step = self._steps[index]
        return _changes_key(step) or _changes_value(step)

    def _nearest(self, start: int, wanted: Callable[[int], bool]) -> int | None:
        """Return the first wanted step from `start` upwards, itself included, depth first."""
        if wanted(start):
            return start
        for parent in self._parents[start]:
            found = self._nearest(parent, wanted)
            if found is not None:
                return found
        return None


def _changes_key(step: Step) -> bool:
    return isinstance(step.drawing, ProcessorDrawing) and step.drawing.operation.changes_key


def _changes_value(step: Step) -> bool:
    return isinstance(step.drawing, ProcessorDrawing) and step.drawing.operation.changes_value


def _merges_streams(step: Step) -> bool:
    drawing = step.drawing
    return (
        isinstance(drawing, ProcessorDrawing)
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

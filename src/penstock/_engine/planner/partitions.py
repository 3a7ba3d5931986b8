"""Decides the partition counts of internal topics from those of the user's topics.

A repartition topic has the count that the user gave, else the largest of any input of the
sub-topologies that write to it; topics of one co-partition group have the same count. The topics of
a foreign-key join feed each other: in such a cycle only the known inputs count.
Java: RepartitionTopics and CopartitionedTopicsEnforcer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from penstock.errors import StreamsError


@dataclass(frozen=True, slots=True)
class TopicFlow:
    """The topics that a sub-topology reads and writes."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]


def decide_partition_counts(
    known: Mapping[str, int],
    internal: Mapping[str, int | None],
    flows: Iterable[TopicFlow],
    copartitioned: Iterable[frozenset[str]],
) -> dict[str, int]:
    """Return the partition count of every topic.

    `known` are the user's topics, `internal` the repartition topics with the count that the user
    gave (None: none), `copartitioned` groups of topics that are joined.
    """
    counts = dict(known)
    counts.update({topic: count for topic, count in internal.items() if count is not None})
    flows, groups = list(flows), list(copartitioned)
    undecided = [topic for topic, count in internal.items() if count is None]
    while undecided:
        decided = {topic: count for topic in undecided if (count := _widest(topic, flows, counts))}
        decided = decided or _in_a_cycle(undecided, flows, counts)
        if not decided:
            msg = (
                f"cannot tell how many partitions {', '.join(undecided)} should have; nothing "
                "that is read feeds them"
            )
            raise StreamsError(msg)
        counts.update(decided)
        undecided = [topic for topic in undecided if topic not in decided]
    for group in _joined_groups(groups):
        _align(group, internal, counts)
    return counts


def _widest(topic: str, flows: list[TopicFlow], counts: Mapping[str, int]) -> int:
    """Return the largest count of the inputs that feed `topic`, 0 if one is not known yet."""
    sources = _sources_of(topic, flows)
    if any(source not in counts for source in sources):
        return 0
    return max((counts[source] for source in sources), default=0)


def _in_a_cycle(
    undecided: list[str], flows: list[TopicFlow], counts: Mapping[str, int]
) -> dict[str, int]:
    """Return the counts of topics that feed each other, decided one after the other: the largest
    count of the inputs known by then, as in Java.
    """
    decided: dict[str, int] = {}
    for topic in [topic for flow in flows for topic in flow.reads if topic in undecided]:
        known = {**counts, **decided}
        sources = [source for source in _sources_of(topic, flows) if source in known]
        if sources:
            decided[topic] = max(known[source] for source in sources)
    return decided


def _sources_of(topic: str, flows: list[TopicFlow]) -> list[str]:
    return [source for flow in flows if topic in flow.writes for source in flow.reads]


def _joined_groups(groups: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """Merge groups that have a topic in common: all of them must agree."""
    apart: list[frozenset[str]] = []
    for group in groups:
        touching = [other for other in apart if group & other]
        apart = [other for other in apart if not group & other]
        apart.append(group.union(*touching))
    return apart


def _align(
    group: frozenset[str], internal: Mapping[str, int | None], counts: dict[str, int]
) -> None:
    fixed = {
        topic: counts[topic]
        for topic in sorted(group)
        if topic not in internal or internal[topic] is not None
    }
    if len(set(fixed.values())) > 1:
        listed = ", ".join(f"{topic!r} has {count}" for topic, count in fixed.items())
        msg = (
            f"topics that are joined must have the same number of partitions; {listed}; "
            "repartition one of the streams: stream.repartition(Repartitioned(partitions=...))"
        )
        raise StreamsError(msg)
    count = next(iter(fixed.values())) if fixed else max(map(counts.__getitem__, group), default=0)
    counts.update(dict.fromkeys(group, count))

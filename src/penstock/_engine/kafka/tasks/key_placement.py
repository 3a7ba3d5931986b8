"""Keys in the wrong partition: a join finds only what lies in partitions of the same number.

Java's producers place keys by murmur2, librdkafka's (Python, Go, C#, Ruby) by CRC32 unless they are
told otherwise. Two topics that are placed by different rules match now and then, by chance, and
everything else of a join is lost silently. So a worker looks at the first keys of topics that
are read together, and warns where one follows a rule that the other does not. Topics that both
follow a rule of the user's own cause no warning.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Final
from zlib import crc32

from penstock._clock import monotonic
from penstock._engine.kafka.client.topic_io import TopicReader
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.records import KEY, RawRecord
from penstock._engine.topology.nodes.stream_nodes import SinkNode
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

_RECORDS = 100
_READING_SECONDS = 5.0
# By chance, one in so many samples follows a rule that is not its own.
_CERTAIN = 1000

MURMUR2: Final = "murmur2"
CRC32: Final = "CRC32"

_RULES: Final[dict[str, Callable[[bytes, int], int]]] = {
    MURMUR2: partition_of,
    CRC32: lambda key, count: crc32(key) % count,
}


class KeySample:
    """The first keys of a topic, and which rules they follow."""

    def __init__(self, topic: str, partitions: int) -> None:
        self.topic = topic
        self.partitions = partitions
        self.keys: set[bytes] = set()
        self.misplaced: dict[str, tuple[bytes, int]] = {}
        """For each rule that is not followed, a key and the partition that it was in."""

    def add(self, key: bytes, partition: int) -> None:
        """Look at a key."""
        self.keys.add(key)
        for name, rule in _RULES.items():
            if name not in self.misplaced and rule(key, self.partitions) != partition:
                self.misplaced[name] = key, partition

    def follows(self, rule: str) -> bool:
        """Yes if enough keys say so."""
        evidence = self.partitions ** min(len(self.keys), 10)
        return rule not in self.misplaced and evidence >= _CERTAIN


class OwnTopic(KeySample):
    """A topic that the application writes itself, without a partitioner of the user's: its keys are
    placed by murmur2, there is nothing to find out.
    """

    def __init__(self, topic: str, partitions: int) -> None:
        super().__init__(topic, partitions)
        self.misplaced[CRC32] = b"", 0

    def follows(self, rule: str) -> bool:
        return rule == MURMUR2


class Placement:
    """Looks at the keys of the topics that tasks read together."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._groups = blueprint.copartitioned
        plans = {task.subtopology.id: task.subtopology for task in blueprint.tasks}.values()
        counts, internal = blueprint.partition_counts, blueprint.internal_topics
        self._samples = samples_of(self._groups, plans, counts, internal)
        self._left = {
            (topic, number): _RECORDS
            for topic, sample in self._samples.items()
            if not isinstance(sample, OwnTopic)
            for number in range(sample.partitions)
        }
        self._told: set[str] = set()

    def look(self, batch: Mapping[tuple[str, int], list[RawRecord]]) -> None:
        """Look at records that were read, if they are among the first of their partition."""
        if self._left:
            for place in self._left.keys() & batch.keys():
                self._look_at(place, batch[place])

    def _look_at(self, place: tuple[str, int], records: list[RawRecord]) -> None:
        topic, number = place
        sample = self._samples[topic]
        for record in records[: self._left[place]]:
            if record[KEY]:  # librdkafka puts empty keys anywhere
                sample.add(record[KEY], number)
        self._left[place] -= len(records)
        if self._left[place] <= 0:
            del self._left[place]
        for misplaced in find_misplaced(self._groups, self._samples):
            if misplaced.topic not in self._told:
                self._told.add(misplaced.topic)
                _log.warning("%s", misplaced)


class Misplaced:
    """A topic whose keys are not in the partitions of a topic that it is joined with."""

    def __init__(self, sample: KeySample, other: KeySample) -> None:
        self.topic = sample.topic
        self._sample = sample
        self._other = other

    def __str__(self) -> str:
        key, partition = self._sample.misplaced[MURMUR2]
        right = partition_of(key, self._sample.partitions)
        is_default = self._sample.follows(CRC32)
        by_crc32 = ", as the default of librdkafka (CRC32) has it" if is_default else ""
        return (
            f"topic {self.topic!r} has the key {_shown(key)} in partition {partition}{by_crc32}; "
            f"Kafka Streams and Java's producers (murmur2) put it in {right}. Joins with topic "
            f"{self._other.topic!r} miss most matches: set partitioner=murmur2_random in the "
            f"producers of {self.topic!r}, and write its records again, or repartition() it"
        )


def samples_of(
    groups: Iterable[frozenset[str]],
    plans: Iterable[SubtopologyPlan],
    counts: Mapping[str, int],
    internal: Container[str],
) -> dict[str, KeySample]:
    """Return an empty sample for each topic whose keys must be where those of others are."""
    placed_by_user = {
        node.topic
        for plan in plans
        for node in plan.nodes
        if isinstance(node, SinkNode) and node.partitioner is not None
    }
    samples: dict[str, KeySample] = {}
    for topic in {topic for group in groups for topic in group}:
        count = counts[topic]
        if count > 1 and not (topic in internal and topic in placed_by_user):
            kind = OwnTopic if topic in internal else KeySample
            samples[topic] = kind(topic, count)
    return samples


def sample_topics(samples: Mapping[str, KeySample], config: StreamsConfig) -> None:
    """Read the first keys of the user's topics, for a few seconds at most."""
    topics = [topic for topic, sample in samples.items() if not isinstance(sample, OwnTopic)]
    if not topics:
        return
    left = {
        (topic, number): _RECORDS for topic in topics for number in range(samples[topic].partitions)
    }
    reader = TopicReader(config.bootstrap_servers, topics, config)
    until = monotonic() + _READING_SECONDS
    try:
        while not reader.caught_up and any(left.values()) and monotonic() < until:
            for record in reader.read(1.0):
                place = record.topic, record.partition
                if left.get(place):
                    left[place] -= 1
                    if record.key:
                        samples[record.topic].add(record.key, record.partition)
    finally:
        reader.close()


def find_misplaced(
    groups: Iterable[frozenset[str]], samples: Mapping[str, KeySample]
) -> list[Misplaced]:
    """Return the topics that do not follow murmur2 and are read together with one of another
    rule.
    """
    found: dict[str, Misplaced] = {}
    for group in groups:
        sides = [samples[topic] for topic in sorted(group) if topic in samples]
        for one in sides:
            for other in sides:
                differ = any(one.follows(rule) and rule in other.misplaced for rule in _RULES)
                for sample, beside in ((one, other), (other, one)):
                    if differ and MURMUR2 in sample.misplaced:
                        found.setdefault(sample.topic, Misplaced(sample, beside))
    return list(found.values())


def _shown(key: bytes) -> str:
    try:
        text = key.decode()
    except UnicodeDecodeError:
        return repr(key)
    return repr(text) if text.isprintable() else repr(key)

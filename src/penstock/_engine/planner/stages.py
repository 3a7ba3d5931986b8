"""Plans the stages of a bounded run: sub-topologies in the order of their complete inputs.

A sub-topology with complete inputs can run to its end, one task for each partition; its repartition
topics are then complete inputs of the next. Sub-topologies that feed each other in a cycle, as
those of a foreign-key join, have no such order: they are one stage, whose tasks run together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from penstock._engine.planner.partitions import TopicFlow, decide_partition_counts
from penstock._engine.planner.plan import (
    SubtopologyPlan,
    plan_global_stores,
    plan_subtopologies,
)
from penstock._engine.planner.tasks import TaskPlan, plan_tasks, resolve_patterns
from penstock._engine.topology.nodes.stream_nodes import (
    ProcessorNode,
    SourceNode,
    UserProcessor,
    sources_above,
)
from penstock._engine.topology.topology import Topology
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig


@dataclass(frozen=True, slots=True)
class Stage:
    """Sub-topologies that run to their end before the next stage begins."""

    number: int
    plans: tuple[SubtopologyPlan, ...]
    tasks: tuple[TaskPlan, ...]
    is_cycle: bool
    """Whether its tasks feed each other, so that they must run together."""

    @property
    def name(self) -> str:
        """Its name in texts for people."""
        if not self.plans:
            return "global tables"
        ids = " and ".join(str(plan.id) for plan in self.plans)
        return f"sub-topolog{'ies' if len(self.plans) > 1 else 'y'} {ids}"

    @property
    def spark_partitions(self) -> int:
        """The number of its Spark partitions: one for each task, or one for a cycle."""
        return 1 if self.is_cycle else len(self.tasks)

    def topics(self) -> list[str]:
        """Return the topics that it reads, in the order of its queues."""
        return list(dict.fromkeys(topic for plan in self.plans for topic in plan.source_topics()))


@dataclass(frozen=True, slots=True)
class JobPlan:
    """The plan of a bounded run."""

    config: StreamsConfig
    stages: tuple[Stage, ...]
    partition_counts: Mapping[str, int]
    """Of every topic that is read, and of the sink topics whose names are known."""
    default_partitions: int
    """Of sink topics that only records name."""
    inputs: frozenset[str]
    """The topics whose records are DataFrames."""
    hidden_topics: frozenset[str]
    """Repartition topics, with their names on a broker: they are no outputs."""
    sinks: tuple[str, ...]
    """The user's topics that are written by name."""
    has_routed_sinks: bool
    """Whether records may name topics to write to."""
    global_stores: SubtopologyPlan | None

    def partition_count(self, topic: str) -> int:
        """Return how many partitions a topic has."""
        return self.partition_counts.get(topic, self.default_partitions)


def topics_to_be_given(topology: Topology, application_id: str) -> tuple[set[str], list[str]]:
    """Return the input topics that a bounded run requires, and the patterns of further ones."""
    plans = plan_subtopologies(topology, application_id)
    written = {topic for plan in plans for topic in plan.sink_topics()}
    read = {topic for plan in plans for topic in plan.source_topics()}
    sources = [source for plan in plans for source in plan.sources()]
    return (
        read - written | _global_topics(plan_global_stores(topology)),
        [source.pattern.pattern for source in sources if source.pattern is not None],
    )


def plan_job(
    topology: Topology,
    config: StreamsConfig,
    given: Mapping[str, int],
    wanted: Mapping[str, int],
    default_partitions: int | None = None,
) -> JobPlan:
    """Plan a bounded run on inputs with these partition counts; `wanted` are the user's counts for
    topics that the program itself writes.

    Raises:
        StreamsError: a topic that is read is not given, one that is given is not read or is also
            written, or inputs that are joined have different numbers of partitions.
    """
    check_topics(topology, config, given)
    plans = _plans(topology, config, given)
    global_stores = plan_global_stores(topology)
    hidden = {
        f"{config.application_id}-{topic.name}": topic.partitions
        for topic in topology.internal_topics.values()
    }
    counts = _partition_counts(topology, plans, given, wanted, hidden)
    sinks = [topic for plan in plans for topic in plan.sink_topics() if topic not in hidden]
    widest = default_partitions or max(counts.values(), default=1)
    for plan in plans:
        width = max((counts[topic] for topic in plan.source_topics()), default=1)
        for topic in plan.sink_topics():
            counts.setdefault(topic, wanted.get(topic, default_partitions or width))
    counts.update({topic: count for topic, count in wanted.items() if topic not in counts})
    stages = tuple(_stages(plans, counts))
    if not stages and global_stores is not None:
        # A program of global tables only still loads them.
        stages = (Stage(0, (), (), is_cycle=True),)
    return JobPlan(
        config=config,
        stages=stages,
        partition_counts=counts,
        default_partitions=widest,
        inputs=frozenset(given),
        hidden_topics=frozenset(hidden),
        sinks=tuple(dict.fromkeys(sinks)),
        has_routed_sinks=_may_route(plans, config),
        global_stores=global_stores,
    )


def _global_topics(plan: SubtopologyPlan | None) -> set[str]:
    return set() if plan is None else set(plan.source_topics())


def _may_route(plans: Iterable[SubtopologyPlan], config: StreamsConfig) -> bool:
    routed = any(
        not isinstance(getattr(node, "topic", ""), str) for plan in plans for node in plan.nodes
    )
    return routed or config.keeps_raw_bytes()


def _plans(
    topology: Topology, config: StreamsConfig, given: Iterable[str]
) -> list[SubtopologyPlan]:
    plans = plan_subtopologies(topology, config.application_id)
    return [resolve_patterns(plan, given) for plan in plans]


def check_topics(
    topology: Topology, config: StreamsConfig, given: Iterable[str]
) -> list[SubtopologyPlan]:
    """Refuse inputs that are not those which a topology reads; return the plans of its
    sub-topologies, at last that of the global stores.

    Raises:
        StreamsError: a topic that is read is not given, or one that is given is not read, or is
            written by the topology itself.
    """
    plans = _plans(topology, config, given)
    global_stores = plan_global_stores(topology)
    of_global_stores = _global_topics(global_stores)
    must, patterns = topics_to_be_given(topology, config.application_id)
    if missing := sorted(must - set(given)):
        listed = ", ".join(map(repr, missing))
        msg = (
            f"the topology reads {listed}, which the inputs do not have; pass a DataFrame for each "
            f"topic: inputs={{{missing[0]!r}: frame, ...}}"
        )
        raise StreamsError(msg)
    read = {topic for plan in plans for topic in plan.source_topics()} | of_global_stores
    if strangers := sorted(set(given) - read):
        known = ", ".join(map(repr, sorted(must))) or "none"
        also = f" and what matches {', '.join(map(repr, patterns))}" if patterns else ""
        msg = (
            f"the inputs have {', '.join(map(repr, strangers))}, which the topology does not read; "
            f"it reads {known}{also}; leave the others out"
        )
        raise StreamsError(msg)
    written = {topic for plan in plans for topic in plan.sink_topics()}
    if both := sorted(set(given) & written):
        msg = (
            f"topic {both[0]!r} is written by the topology itself, so what it holds is known when "
            "the run is over, not before; leave it out of the inputs"
        )
        raise StreamsError(msg)
    return plans if global_stores is None else [*plans, global_stores]


def topics_of_marks(
    plans: Iterable[SubtopologyPlan], with_offsets: Collection[str]
) -> frozenset[str]:
    """Return the topics whose records `write_once` marks by their offsets.

    Records that a run numbers itself are numbered from 0 in each: the marks of one run, or of the
    live application, would be taken for those of another, and rows would not be written.

    Raises:
        StreamsError: a topic is not among those `with_offsets`.
    """
    marked: set[str] = set()
    for plan in plans:
        nodes = {node.name: node for node in plan.nodes}
        for node in plan.nodes:
            operation = node.operation if isinstance(node, ProcessorNode) else None
            if not isinstance(operation, UserProcessor) or operation.marks is None:
                continue
            sources = sources_above([node.name], nodes).values()
            topics = {topic for source in sources for topic in source.topics}
            if unknown := sorted(topics - set(with_offsets)):
                name, listed = operation.marks[1], ", ".join(map(repr, unknown))
                msg = (
                    f"write_once(name={name!r}) knows records by partition and offset, and in this "
                    f"run those of {listed} have none of their own; give inputs with the columns "
                    "'partition' and 'offset', and put write_once before any repartitioning; or "
                    "write the results of the run with Spark"
                )
                raise StreamsError(msg)
            marked |= topics
    return frozenset(marked)


def _partition_counts(
    topology: Topology,
    plans: list[SubtopologyPlan],
    given: Mapping[str, int],
    wanted: Mapping[str, int],
    hidden: Mapping[str, int | None],
) -> dict[str, int]:
    sources: list[SourceNode] = [source for plan in plans for source in plan.sources()]
    topics_of = {source.name: source.topics for source in sources}
    read = {topic for source in sources for topic in source.topics}
    # Topics that the program writes and reads again are decided like repartition topics.
    decided: dict[str, int | None] = dict(hidden)
    decided.update({topic: wanted.get(topic) for topic in sorted(read - set(given) - set(hidden))})
    flows = [TopicFlow(tuple(plan.source_topics()), tuple(plan.sink_topics())) for plan in plans]
    groups = [
        frozenset(topic for name in group for topic in topics_of.get(name, ()))
        for group in topology.copartition_groups
    ]
    return decide_partition_counts(given, decided, flows, groups)


def _stages(plans: list[SubtopologyPlan], counts: Mapping[str, int]) -> Iterable[Stage]:
    number = 0
    for group in _in_order(plans):
        tasks = tuple(plan_tasks(group, counts))
        if not tasks:
            continue  # it reads nothing: no topic matches its pattern
        is_cycle = len(group) > 1 or _feeds(group[0], group[0])
        yield Stage(number, tuple(group), tasks, is_cycle)
        number += 1


def _feeds(one: SubtopologyPlan, other: SubtopologyPlan) -> bool:
    return bool(set(one.sink_topics()) & set(other.source_topics()))


def _in_order(plans: list[SubtopologyPlan]) -> list[list[SubtopologyPlan]]:
    """Return the plans in topological order, each cycle as one group."""
    by_id = {plan.id: plan for plan in plans}
    fed_by = {
        plan.id: {other.id for other in plans if other is not plan and _feeds(other, plan)}
        for plan in plans
    }
    reaches = {number: _all_feeding(number, fed_by) for number in by_id}
    groups: list[list[int]] = []
    for number in sorted(by_id):
        cycle = sorted({number, *(n for n in reaches[number] if number in reaches[n])})
        if cycle not in groups:
            groups.append(cycle)
    ordered: list[list[int]] = []
    while groups:
        done = {number for group in ordered for number in group}
        ready = next(
            group
            for group in groups
            if all(fed_by[number] <= done | set(group) for number in group)
        )
        groups.remove(ready)
        ordered.append(ready)
    return [[by_id[number] for number in group] for group in ordered]


def _all_feeding(number: int, fed_by: Mapping[int, set[int]]) -> set[int]:
    """Return all plans that feed a plan, directly or through others."""
    found: set[int] = set()
    waiting = list(fed_by[number])
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting.extend(fed_by[other])
    return found

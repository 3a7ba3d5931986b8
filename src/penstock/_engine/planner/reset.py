"""Decides what a reset of an application changes; performs nothing.

As Java's `kafka-streams-application-reset`: it moves the offsets of the input topics, skips topics
that the application writes and reads itself to their ends, and deletes internal topics. Beyond
Java's tool, it finds the inputs in the program or in the group's offsets, and deletes local state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from penstock._engine.planner.internal_topics import NamedTopics, internal_topics_among, is_internal
from penstock._engine.planner.tasks import Partition
from penstock.errors import StreamsError


@dataclass(frozen=True, slots=True)
class Target:
    """Where to read the input topics from next; at most one of these is given, none means from
    their beginnings.
    """

    offset: int | None = None
    shift: int | None = None
    """Records forward, or backward if negative, from the committed offset."""
    time_ms: int | None = None
    """The first record from this time on."""
    latest: bool = False
    each: Mapping[Partition, int] | None = None
    """An offset for each partition; partitions that are not named stay as they are."""


@dataclass(frozen=True, slots=True)
class ResetRequest:
    """What the user wants to reset."""

    application_id: str
    inputs: tuple[str, ...] | None = None
    """None: all topics of which the group has committed offsets."""
    intermediate: tuple[str, ...] = ()
    """Topics that the application writes and reads: they are skipped to their ends."""
    internal: tuple[str, ...] | None = None
    """None: all internal topics."""
    target: Target = field(default_factory=Target)
    named: NamedTopics = field(default_factory=NamedTopics)
    """What the program names, beyond what is reset: none of the user's topics is deleted."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the group."""

    id: str
    host: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The state of the cluster and of this machine, with the offsets of all affected topics."""

    topics: frozenset[str]
    members: tuple[Member, ...] = ()
    committed: Mapping[Partition, int] = field(default_factory=dict)
    beginnings: Mapping[Partition, int] = field(default_factory=dict)
    ends: Mapping[Partition, int] = field(default_factory=dict)
    at_time: Mapping[Partition, int] = field(default_factory=dict)
    """The first offsets from the target's time on."""
    local_tasks: tuple[str, ...] = ()
    local_path: str = ""


@dataclass(frozen=True, slots=True)
class OffsetChange:
    """A committed offset, before and after."""

    topic: str
    partition: int
    before: int | None
    after: int


@dataclass(frozen=True, slots=True)
class ResetPlan:
    """The changes that a reset performs."""

    application_id: str
    offsets: tuple[OffsetChange, ...]
    delete_topics: tuple[str, ...]
    delete_local: tuple[str, ...]
    """The tasks whose local state is deleted."""
    local_path: str
    notes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to do."""
        changed = any(change.before != change.after for change in self.offsets)
        return not (changed or self.delete_topics or self.delete_local)


def check_not_running(
    application_id: str, members: Iterable[Member], what: str = "it is reset"
) -> None:
    """Refuse to change the offsets of an application while its group has members.

    Raises:
        StreamsError: it has.
    """
    listed = [f"{member.id} on {member.host}" for member in members]
    if listed:
        count = f"{len(listed)} member{'s' if len(listed) > 1 else ''}"
        msg = (
            f"application {application_id!r} must not run while {what}; its group has "
            f"{count}: {'; '.join(listed)}; stop all instances; of one that crashed, "
            "members stay until session.timeout.ms (45 s unless set) is over: wait for them with "
            "--wait 60"
        )
        raise StreamsError(msg)


def inputs_of(request: ResetRequest, committed: Iterable[Partition]) -> tuple[str, ...]:
    """Return the topics whose offsets move: those named, or those that the group has committed."""
    if request.inputs is not None:
        return tuple(dict.fromkeys(request.inputs))
    known = {topic for topic, _ in committed}
    own = {topic for topic in known if is_internal(topic, request.application_id)}
    # A group commits no offsets of its own changelogs: one that it reads is an input.
    read = {topic for topic in own - request.named.users if not topic.endswith("-changelog")}
    return tuple(sorted(known - read - set(request.intermediate)))


def decide_reset(request: ResetRequest, facts: Facts) -> ResetPlan:
    """Return the changes that a reset performs.

    Raises:
        StreamsError: a topic to delete is not internal, or an offset is of no input.
    """
    notes: list[str] = []
    wanted = inputs_of(request, facts.committed)
    inputs = [topic for topic in wanted if topic in facts.topics]
    inputs = [topic for topic in inputs if topic not in request.intermediate]
    named = (*(request.inputs or ()), *request.intermediate)
    if gone := sorted({topic for topic in named if topic not in facts.topics}):
        notes.append(f"not there, and left alone: {', '.join(gone)}")
    changes = [
        change for topic in inputs for change in _moved(topic, request.target, facts, inputs, notes)
    ]
    changes += [
        OffsetChange(*place, facts.committed.get(place), end)
        for place, end in sorted(facts.ends.items())
        if place[0] in request.intermediate
    ]
    return ResetPlan(
        request.application_id,
        tuple(changes),
        _topics_to_delete(request, facts, inputs, notes),
        facts.local_tasks,
        facts.local_path,
        tuple(notes),
    )


def _moved(
    topic: str, target: Target, facts: Facts, inputs: list[str], notes: list[str]
) -> Iterable[OffsetChange]:
    if target.each is not None:
        strange = sorted({name for name, _ in target.each if name not in inputs})
        if strange:
            msg = (
                f"offsets are given of {', '.join(strange)}, which is not among the inputs: "
                f"{', '.join(inputs) or 'none'}"
            )
            raise StreamsError(msg)
    for place in sorted(place for place in facts.beginnings if place[0] == topic):
        before = facts.committed.get(place)
        wanted = _wanted(place, target, facts, before)
        if wanted is None:
            continue
        low, high = facts.beginnings[place], facts.ends[place]
        after = min(max(wanted, low), high)
        if after != wanted:
            notes.append(
                f"{topic} partition {place[1]} has the offsets {low} to {high}: {after} instead of "
                f"{wanted}"
            )
        yield OffsetChange(*place, before, after)


def _wanted(place: Partition, target: Target, facts: Facts, before: int | None) -> int | None:
    if target.each is not None:
        return target.each.get(place)
    if target.offset is not None:
        return target.offset
    if target.shift is not None:
        return (facts.beginnings[place] if before is None else before) + target.shift
    if target.time_ms is not None:
        return facts.at_time.get(place, facts.ends[place])
    return facts.ends[place] if target.latest else facts.beginnings[place]


def _topics_to_delete(
    request: ResetRequest, facts: Facts, inputs: Iterable[str], notes: list[str]
) -> tuple[str, ...]:
    users = request.named.users.union(inputs, request.inputs or (), request.intermediate)
    named = NamedTopics(users, request.named.internal)
    internal = internal_topics_among(facts.topics, request.application_id, named)
    if request.internal is None:
        notes += [
            f"left alone, for application {owner!r} has a task topic and they bear its name: "
            f"{', '.join(topics)}"
            for owner, topics in internal.of_others.items()
        ]
        return internal.own
    if strange := [topic for topic in request.internal if topic not in internal.own]:
        msg = (
            f"not internal topics of application {request.application_id!r}: {', '.join(strange)}; "
            f"those are: {', '.join(internal.own) or 'none'}"
        )
        raise StreamsError(msg)
    return tuple(sorted(set(request.internal)))

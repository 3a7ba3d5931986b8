"""What a reset of an application would change, decided from what is there; nothing is done here.

As Java's `kafka-streams-application-reset`: the offsets of the input topics are put where the user
wants them, topics that the application writes and reads itself are skipped to their ends, internal
topics are deleted. Beyond Java's tool: inputs are found in the program or in the group's own
offsets, and local state goes too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from penstock._engine.planner.internal_topics import is_internal
from penstock._engine.planner.tasks import Partition
from penstock.errors import StreamsError


@dataclass(frozen=True, slots=True)
class Target:
    """Where the input topics are to be read from next; at most one of these is given, none means
    from their beginnings.
    """

    offset: int | None = None
    shift: int | None = None
    """Records forward, or backward if negative, from what has been committed."""
    time_ms: int | None = None
    """The first record from this time on."""
    latest: bool = False
    each: Mapping[Partition, int] | None = None
    """An offset for each partition; partitions that are not named stay as they are."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user wants to be reset."""

    application_id: str
    inputs: tuple[str, ...] | None = None
    """None: all that the group has committed offsets of."""
    intermediate: tuple[str, ...] = ()
    """Topics that the application writes and reads: they are skipped to their ends."""
    internal: tuple[str, ...] | None = None
    """None: all internal topics."""
    target: Target = field(default_factory=Target)


@dataclass(frozen=True, slots=True)
class Member:
    """Who is in the group."""

    id: str
    host: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is there. Offsets are of the partitions of all topics that may be concerned."""

    topics: frozenset[str]
    members: tuple[Member, ...] = ()
    committed: Mapping[Partition, int] = field(default_factory=dict)
    beginnings: Mapping[Partition, int] = field(default_factory=dict)
    ends: Mapping[Partition, int] = field(default_factory=dict)
    at_time: Mapping[Partition, int] = field(default_factory=dict)
    """The offsets of the target's time."""
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
    """What is to be done."""

    application_id: str
    offsets: tuple[OffsetChange, ...]
    delete_topics: tuple[str, ...]
    delete_local: tuple[str, ...]
    """The tasks whose local state goes."""
    local_path: str
    notes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to do."""
        changed = any(change.before != change.after for change in self.offsets)
        return not (changed or self.delete_topics or self.delete_local)


def check_not_running(application_id: str, members: Iterable[Member]) -> None:
    """Refuse to reset an application while somebody is in its group.

    Raises:
        StreamsError: somebody is.
    """
    listed = [f"{member.id} on {member.host}" for member in members]
    if listed:
        count = f"{len(listed)} member{'s' if len(listed) > 1 else ''}"
        msg = (
            f"application {application_id!r} must not run while it is reset; its group has "
            f"{count}: {'; '.join(listed)}; stop all instances; of one that crashed, "
            "members stay until session.timeout.ms (45 s unless set) is over: wait for them with "
            "--wait 60"
        )
        raise StreamsError(msg)


def inputs_of(wish: Wish, committed: Iterable[Partition]) -> tuple[str, ...]:
    """Give the topics whose offsets are to be moved: those named, or those that the group knows."""
    if wish.inputs is not None:
        return tuple(dict.fromkeys(wish.inputs))
    known = {topic for topic, _ in committed if not is_internal(topic, wish.application_id)}
    return tuple(sorted(known - set(wish.intermediate)))


def decide_reset(wish: Wish, facts: Facts) -> ResetPlan:
    """Decide what is to be done.

    Raises:
        StreamsError: a topic that shall be deleted is not internal, or an offset is of no input.
    """
    notes: list[str] = []
    inputs = [topic for topic in inputs_of(wish, facts.committed) if topic in facts.topics]
    inputs = [topic for topic in inputs if topic not in wish.intermediate]
    named = (*(wish.inputs or ()), *wish.intermediate)
    if gone := sorted({topic for topic in named if topic not in facts.topics}):
        notes.append(f"not there, and left alone: {', '.join(gone)}")
    changes = [
        change for topic in inputs for change in _moved(topic, wish.target, facts, inputs, notes)
    ]
    changes += [
        OffsetChange(*place, facts.committed.get(place), end)
        for place, end in sorted(facts.ends.items())
        if place[0] in wish.intermediate
    ]
    return ResetPlan(
        wish.application_id,
        tuple(changes),
        tuple(_doomed_topics(wish, facts)),
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


def _doomed_topics(wish: Wish, facts: Facts) -> list[str]:
    internal = sorted(topic for topic in facts.topics if is_internal(topic, wish.application_id))
    if wish.internal is None:
        return internal
    if strange := [topic for topic in wish.internal if topic not in internal]:
        msg = (
            f"not internal topics of application {wish.application_id!r}: {', '.join(strange)}; "
            f"those are: {', '.join(internal) or 'none'}"
        )
        raise StreamsError(msg)
    return sorted(set(wish.internal))

"""The inputs of a bounded run, made of the steps of a case; which cases mean something there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from conformance.applicability import OF_THE_DRIVER
from conformance.harness import Line, to_bytes
from penstock import Topology
from penstock._engine.planner.plan import plan_global_stores, plan_subtopologies
from penstock._engine.planner.stages import topics_to_be_given
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock.record import HeaderPairs

PARTITIONS = (1, 2, 5)
FED_ITS_OWN = "it is fed a topic that it writes itself"


@dataclass(frozen=True, slots=True)
class Fed:
    """A record of an input, with its place."""

    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: HeaderPairs


Inputs: TypeAlias = dict[str, list[Fed]]


def inputs_of(steps: Iterable[Line], topology: Topology, partitions: int) -> Inputs:
    """Return the records of the steps by topic; topics that get none are empty."""
    must, _ = topics_to_be_given(topology, "conformance")
    inputs: Inputs = {topic: [] for topic in sorted(must)}
    offsets: dict[tuple[str, int], int] = {}
    for step in steps:
        topic, key, value = step["topic"], to_bytes(step.get("key")), to_bytes(step.get("value"))
        partition = partition_of(key if key is not None else value or b"", partitions)
        offset = offsets.get((topic, partition), 0)
        offsets[topic, partition] = offset + 1
        headers = tuple((name, to_bytes(content)) for name, content in step.get("headers", ()))
        record = Fed(partition, offset, step.get("timestamp", 0), key, value, headers)
        inputs.setdefault(topic, []).append(record)
    return inputs


def why_not(name: str, steps: list[Line], expected: list[Line], program: str) -> str | None:
    """Say why a case is left out, None if it is not; `program` is its text."""
    for applies, reason in _REASONS:
        if applies(steps, expected, program):
            return reason
    return _FED_BACK.get(name) or OF_THE_DRIVER.get(name)


def why_not_this(steps: list[Line], topology: Topology) -> str | None:
    """Say why a program is left out, now that its topology is known."""
    if is_fed_its_own(steps, topology):
        return FED_ITS_OWN
    of_all = plan_global_stores(topology)
    global_topics = set() if of_all is None else set(of_all.source_topics())
    met_stream = False
    for step in steps:
        if step["topic"] in global_topics and met_stream:
            return "a global table changes between the records of a stream"
        met_stream = met_stream or step["topic"] not in global_topics
    return None


def is_fed_its_own(steps: list[Line], topology: Topology) -> bool:
    """Return whether a program is fed a topic that it writes itself."""
    plans = plan_subtopologies(topology, "conformance")
    written = {topic for plan in plans for topic in plan.sink_topics()}
    return bool(written & {step["topic"] for step in steps})


def reads_one_topic_at_a_time(topology: Topology) -> bool:
    """Return whether no task has a choice between records: then the order of the steps is kept, and
    what Java recorded holds as it stands.
    """
    plans = plan_subtopologies(topology, "conformance")
    return all(
        len(plan.source_topics()) == 1 and all(source.pattern is None for source in plan.sources())
        for plan in plans
    )


def _expects(*parts: str) -> Callable[[list[Line], list[Line], str], bool]:
    return lambda steps, expected, program: any(part in line for line in expected for part in parts)


def _shows_records_of_no_time(_: list[Line], expected: list[Line], __: str) -> bool:
    records: list[dict[str, Any]] = [
        record
        for line in expected
        for written in line.get("output", {}).values()
        for record in written
    ]
    return any(record["timestamp"] is None for record in records)


_FED_BACK = dict.fromkeys(
    (
        "handler_processing_dead_letter_topic_may_be_a_source",
        "headers_fed_back_stay_with_the_record",
        "sink_dynamic_topic_may_be_a_source",
    ),
    "it sends records, to a topic that only they name, back to its own input",
)

_REASONS: tuple[tuple[Callable[[list[Line], list[Line], str], bool], str], ...] = (
    (_expects("build_error"), "the program is refused before it runs"),
    (_expects("error", "close_error"), "the program is meant to fail"),
    (lambda steps, *_: not steps, "it has no input, only a description"),
    (
        lambda steps, *_: any("advance_wall_clock" in step for step in steps),
        "it moves the wall clock",
    ),
    (
        lambda steps, expected, program: any(
            word in program for word in ("WALL_CLOCK_TIME", "WallclockTimestampExtractor")
        ),
        "it looks at the wall clock, which a bounded run has none of",
    ),
    (_shows_records_of_no_time, "it shows records whose time is that of their sending"),
)

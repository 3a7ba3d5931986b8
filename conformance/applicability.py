"""Which cases can be run on a cluster and say there what they say in the test driver.

The recordings come from Java's test driver. It has one task for the whole program, a clock that
only moves when told to, and one partition of everything; a case about any of that has no meaning
on a broker. Everything else must be equal.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from conformance.harness import Case

_ONE_TASK = "it shows that the driver has one task for all sub-topologies"
_ONE_PARTITION = "it shows that the driver has one partition of everything"
_DRIVERS_CLOCK = "it shows the wall clock, which stands still in the driver"
_FROM_THE_END = "it begins at the end of a topic, which comes before the first record in the driver"
_PATTERN_OFFSETS = "it shows that all topics of a pattern share their offsets in the driver"
_UNREAD_TOPIC = "it shows that the driver refuses records of topics that nobody reads"
_FED_BACK = "what it writes to a global table's topic is in it at once in the driver only"
_ONE_CACHE = "only in the driver have global tables the cache that the task has"
_SKIPS_UNREADABLE = "the driver skips what cannot be read of a global table, whatever the handler"

_RACERS = 3

OF_THE_DRIVER: dict[str, str] = {
    "cache_of_a_global_table_shares_the_budget": _ONE_CACHE,
    "join_global_record_that_cannot_be_read": _SKIPS_UNREADABLE,
    "join_global_written_by_the_program": _FED_BACK,
    "papi_application_and_task_id": _ONE_TASK,
    "punctuate_stream_time_is_shared_by_sub_topologies": _ONE_TASK,
    "repartition_feeds_back_smallest_timestamp_first": _ONE_TASK,
    "repartition_partition_count_does_not_show_in_the_driver": _ONE_PARTITION,
    "sink_partitioner_giving_several_partitions_writes_to_each": _ONE_PARTITION,
    "source_of_a_written_topic_is_read_in_the_same_step": _ONE_TASK,
    "source_pattern_reads_every_topic_that_matches": _PATTERN_OFFSETS,
    "source_unknown_topic_is_refused_by_the_driver": _UNREAD_TOPIC,
    "store_put_in_init": _DRIVERS_CLOCK,
    "table_timestamp_extractor_and_offset_reset": _FROM_THE_END,
    "time_stream_time_is_not_moved_by_a_changed_timestamp": _ONE_TASK,
}
"""Cases whose recording shows what only the test driver has."""


def why_not(case: Case) -> str | None:
    """Say why a case is left out on a cluster, None if it is not."""
    for applies, reason in _REASONS:
        if applies(case):
            return reason
    return OF_THE_DRIVER.get(case.name)


def guarantee_for(case: Case, wanted: str) -> str:
    """Return the guarantee to run a case with: the one that is wanted, where it may be."""
    return "at_least_once" if _shows_a_place_in_an_internal_topic(case) else wanted


def tasks_race(case: Case) -> bool:
    """Return whether one record can give work to two tasks at once: with three sub-topologies or
    more. Which of them comes first is the driver's choice there; a cluster promises nothing, Java's
    neither.
    """
    return (case.expected_topology or "").count("Sub-topology:") >= _RACERS


def _shows_a_place_in_an_internal_topic(case: Case) -> bool:
    """Yes if records or logs hold the name of an internal topic, and with it an offset: under
    exactly-once, markers of transactions have offsets, too.
    """
    shown = [
        json.dumps([line.get("log"), *line.get("output", {}).values()]) for line in case.expected
    ]
    name = "-repartition"
    return any(name in text or name.encode().hex() in text for text in shown)


def _has(*parts: str) -> Callable[[Case], bool]:
    return lambda case: any(part in line for line in case.expected for part in parts)


def _computes_with_zero_behind_a_topic(case: Case) -> bool:
    return _mentions("JoinWindows", "windowed_by", "suppress")(case) and any(
        topic.endswith("-repartition") and any(record["timestamp"] == 0 for record in records)
        for line in case.expected
        for topic, records in line.get("output", {}).items()
    )


def _mentions(*words: str) -> Callable[[Case], bool]:
    return lambda case: any(word in _program(case) for word in words)


def _program(case: Case) -> str:
    return (case.folder / "program.py").read_text(encoding="utf-8")


_REASONS: tuple[tuple[Callable[[Case], bool], str], ...] = (
    (_has("build_error"), "the program is refused before it runs"),
    (_has("close_error"), "it fails while it closes, which an application on a cluster only logs"),
    (lambda case: not case.steps, "it has no input, only a description"),
    (
        lambda case: any("advance_wall_clock" in step for step in case.steps),
        "it moves the wall clock",
    ),
    (
        _mentions("WALL_CLOCK_TIME", "WallclockTimestampExtractor", "current_system_time_ms"),
        _DRIVERS_CLOCK,
    ),
    (
        _computes_with_zero_behind_a_topic,
        "it computes with timestamp 0 behind a repartition topic, where librdkafka writes 1",
    ),
    (_mentions("max.task.idle.ms"), "it is about waiting, and so about the driver's clock"),
)

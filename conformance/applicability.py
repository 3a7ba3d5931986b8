"""Which cases can be run on a cluster and say there what they say in the test driver.

The recordings come from Java's test driver. It has one task for the whole program, a clock that
only moves when told to, and one partition of everything; a case about any of that has no meaning
on a broker. Everything else must be equal.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.harness import Case

_ONE_TASK = "it shows that the driver has one task for all sub-topologies"
_ONE_PARTITION = "it shows that the driver has one partition of everything"
_PATTERN_OFFSETS = "it shows that all topics of a pattern share their offsets in the driver"
TIME_ZERO = "it computes with timestamp 0, for which librdkafka writes 1"

_FED_BACK = "what it writes to a global table's topic is in it at once in the driver only"
_ONE_CACHE = "only in the driver have global tables the cache that the task has"
_SKIPS_UNREADABLE = "the driver skips what cannot be read of a global table, whatever the handler"

OF_THE_DRIVER: dict[str, str] = {
    "cache_of_a_global_table_shares_the_budget": _ONE_CACHE,
    "join_global_record_that_cannot_be_read": _SKIPS_UNREADABLE,
    "join_global_written_by_the_program": _FED_BACK,
    "papi_application_and_task_id": _ONE_TASK,
    "papi_process_values_keeps_the_key": TIME_ZERO,
    "punctuate_stream_time_is_shared_by_sub_topologies": _ONE_TASK,
    "repartition_feeds_back_smallest_timestamp_first": _ONE_TASK,
    "repartition_partition_count_does_not_show_in_the_driver": _ONE_PARTITION,
    "sink_dynamic_topic_by_record_context": TIME_ZERO,
    "source_pattern_reads_every_topic_that_matches": _PATTERN_OFFSETS,
}
"""Cases whose recording shows what only the test driver has."""

_SHOW_OFFSETS = frozenset(
    {
        "handler_processing_dead_letter_behind_a_repartition",
        "handler_unreadable_internal_topic_is_handled_like_any_source",
        "papi_metadata_behind_a_repartition_is_that_of_the_internal_topic",
    }
)
"""Cases that show offsets of an internal topic: under exactly-once, markers of transactions count.
"""


def why_not(case: Case) -> str | None:
    """Say why a case is left out on a cluster, None if it is not."""
    for applies, reason in _REASONS:
        if applies(case):
            return reason
    return OF_THE_DRIVER.get(case.name)


def guarantee_for(case: Case, wanted: str) -> str:
    """Give the guarantee to run a case with: the one that is wanted, where it may be."""
    return "at_least_once" if case.name in _SHOW_OFFSETS else wanted


def _has(*parts: str) -> Callable[[Case], bool]:
    return lambda case: any(part in line for line in case.expected for part in parts)


def _shows_records_of_no_time(case: Case) -> bool:
    return any(
        record["timestamp"] is None
        for line in case.expected
        for records in line.get("output", {}).values()
        for record in records
    )


def _begins_at_zero(case: Case) -> bool:
    return any("topic" in step and step.get("timestamp", 0) == 0 for step in case.steps)


def _keeps_time_zero(case: Case) -> bool:
    return "JoinWindows" in _program(case) and any(
        step.get("timestamp", 0) == 0 for step in case.steps
    )


def _mentions(*words: str) -> Callable[[Case], bool]:
    return lambda case: any(word in _program(case) for word in words)


def _program(case: Case) -> str:
    return (case.folder / "program.py").read_text(encoding="utf-8")


_REASONS: tuple[tuple[Callable[[Case], bool], str], ...] = (
    (_has("build_error"), "the program is refused before it runs"),
    (_has("error", "close_error"), "the application is meant to fail"),
    (lambda case: not case.steps, "it has no input, only a description"),
    (
        lambda case: any("advance_wall_clock" in step for step in case.steps),
        "it moves the wall clock",
    ),
    (
        _mentions("WALL_CLOCK_TIME", "WallclockTimestampExtractor", "current_system_time_ms"),
        "it shows the wall clock, which stands still in the driver",
    ),
    (_keeps_time_zero, TIME_ZERO),
    (_shows_records_of_no_time, "it shows records whose time is that of their sending"),
    (
        lambda case: _mentions("windowed_by")(case) and _begins_at_zero(case),
        TIME_ZERO,
    ),
    (_mentions("max.task.idle.ms"), "it is about waiting, and so about the driver's clock"),
    (
        lambda case: any(step.get("timestamp", 0) < 0 for step in case.steps),
        "it feeds timestamps below 0, which librdkafka does not write",
    ),
)

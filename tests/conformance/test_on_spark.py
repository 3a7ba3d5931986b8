"""What surrounds the run on Spark: which cases apply, what is levelled, what is told at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import applicability, harness, on_spark
from conformance.applicability import guarantee_for, why_not
from conformance.cluster_run import FileLog
from conformance.harness import Case, Line
from conformance.levelling import as_far_as_committed, levelled, told_at_the_end


def case(name: str) -> Case:
    return harness.find_case(name)


@pytest.mark.parametrize(
    ("name", "part_of_reason"),
    [
        ("filter", None),
        ("store_with_times_in_files", None),
        ("refused_empty_name", "refused"),
        ("papi_close_that_raises", "while it closes"),
        ("papi_init_that_raises_stops_the_task", None),
        ("describe_diamond", "no input"),
        ("punctuate_anchored_wall_clock", "wall clock"),
        ("tasks_idle_minus_one_never_waits", "waiting"),
        ("time_log_and_skip_drops_negative_timestamps", None),
        ("papi_application_and_task_id", "one task"),
    ],
)
def test_a_case_is_left_out_for_a_reason(name: str, part_of_reason: str | None) -> None:
    reason = why_not(case(name))
    assert reason is None if part_of_reason is None else part_of_reason in str(reason)


def test_cases_that_are_named_are_there() -> None:
    assert sorted(name for name in applicability.OF_THE_DRIVER if not case(name).expected) == []


def test_cases_that_show_offsets_of_internal_topics_run_without_transactions() -> None:
    shows = case("papi_metadata_behind_a_repartition_is_that_of_the_internal_topic")
    assert guarantee_for(shows, "exactly_once_v2") == "at_least_once"
    assert guarantee_for(case("filter"), "exactly_once_v2") == "exactly_once_v2"


def test_a_case_whose_tasks_race_is_run_again() -> None:
    answers = [["  differs"], [], ["  never asked"]]
    racing = case("repartition_of_one_stream_twice")
    assert on_spark._differences(racing, lambda _: answers.pop(0)) == (2, [])
    assert answers == [["  never asked"]]
    assert on_spark._differences(case("filter"), lambda _: ["  differs"]) == (1, ["  differs"])


def test_a_timestamp_of_one_counts_as_zero() -> None:
    line = {"output": {"out": [{"value": "x", "timestamp": 1}, {"value": "y", "timestamp": 2}]}}
    level = levelled(line)
    assert [record["timestamp"] for record in level["output"]["out"]] == [0, 2]


def test_the_time_of_sending_is_none() -> None:
    times = [99, 100, 101, None]
    line = {"output": {"out": [{"timestamp": time} for time in times]}}
    level = levelled(line, sent_ms=range(100, 101))
    assert [record["timestamp"] for record in level["output"]["out"]] == [99, None, 101, None]


def test_what_workers_report_is_told_at_the_end() -> None:
    lines: list[Line] = [
        {"stdout": ["a"], "dropped": 1},
        {"log": ["x"]},
        {"stdout": ["b"], "dropped": 2},
    ]
    told = told_at_the_end(lines)
    assert told == [{}, {"log": ["x"]}, {"stdout": ["a", "b"], "dropped": 2}]


def test_a_step_that_failed_may_have_written_the_first_of_its_records() -> None:
    records = [{"value": "x"}, {"value": "y"}]
    expected: list[Line] = [
        {},
        {"error": "E", "output": {"a": records, "b": records}, "dropped": 1},
    ]
    got: list[Line] = [{}, {"error": "E", "output": {"a": records[:1]}}]
    assert as_far_as_committed(expected, got) == got
    assert as_far_as_committed(expected, [{}, {"error": "E"}]) == [{}, {"error": "E"}]
    more = [{}, {"error": "E", "output": {"c": records}}]
    assert as_far_as_committed(expected, more) != more


def test_a_step_that_did_not_fail_must_have_written_all() -> None:
    expected: list[Line] = [{"output": {"a": [{"value": "x"}]}}]
    assert as_far_as_committed(expected, [{}]) == expected


def test_lines_of_a_log_in_a_file_are_taken_once(tmp_path: Path) -> None:
    log = FileLog(tmp_path / "log")
    assert log.take() == []
    log("one\ntwo")
    log("\u2028")
    assert log.take() == ["one\ntwo", "\u2028"]
    log("three")
    assert log.take() == ["three"]


def test_a_case_that_does_not_apply_is_told_and_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert on_spark.main(["refused_empty_name"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told == [
        "does not apply: refused_empty_name: the program is refused before it runs",
        "0 equal, 0 differ, 1 do not apply (0.0 min)",
    ]


def test_cases_are_chosen_by_pattern() -> None:
    chosen = on_spark._choose(["a*", "b", "x"], ["ab", "ac", "b"])
    assert chosen == {"a*": ["ab", "ac"], "b": ["b"], "x": []}
    assert on_spark._choose([], ["ab", "b"]) == {"*": ["ab", "b"]}


def test_an_unknown_case_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert on_spark.main(["no_such_case"]) == 2
    assert "no such case: no_such_case" in capsys.readouterr().out

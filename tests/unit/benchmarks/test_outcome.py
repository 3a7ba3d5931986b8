"""Results are compared as tables or as streams in any order."""

from __future__ import annotations

from benchmarks.figures import Rate
from benchmarks.outcome import Outcome, difference
from benchmarks.throughput import Run
from benchmarks.turns import Turns


def table(**rows: bytes) -> Outcome:
    made = Outcome()
    for key, value in rows.items():
        made.add("table", key.encode(), value)
    return made


def stream(*rows: tuple[bytes, bytes]) -> Outcome:
    made = Outcome()
    for key, value in rows:
        made.add("stream", key, value)
    return made


def run(rate: float, outcome: Outcome, stolen: float = 0.0) -> Run:
    return Run(Rate(rate, stolen), 3.0, 20.0, 500.0, 8.0, outcome)


def test_the_last_value_of_a_key_counts_and_none_deletes_it() -> None:
    made = table(a=b"1", b=b"2")
    made.add("table", b"a", b"3")
    made.add("table", b"b", None)
    assert difference(table(a=b"3"), made) is None


def test_a_wrong_row_is_named() -> None:
    assert difference(table(a=b"1", b=b"2"), table(a=b"1", b=b"3")) == (
        "1 of 2 rows differ; the first is b'b': expected b'2', got b'3'"
    )


def test_a_stream_may_come_in_any_order_but_not_twice() -> None:
    one, other = (b"k", b"1"), (b"k", b"2")
    assert difference(stream(one, other), stream(other, one)) is None
    assert difference(stream(one, other), stream(one, one)) == (
        "1 of 2 records are missing, 1 should not be there"
    )


def test_who_runs_before_java_is_compared_when_java_has_run() -> None:
    turns = Turns(1_000_000)
    assert turns.add("penstock", run(90.0, table(a=b"1"))) == "1 results, to be compared"
    assert turns.add("java", run(100.0, table(a=b"2"))) == (
        "1 results, equal, penstock's before: NOT JAVA'S: 1 of 1 rows differ; the first is b'a': "
        "expected b'2', got b'1'"
    )
    assert turns.add("penstock", run(110.0, table(a=b"2"))) == "1 results, equal"
    found = turns.measurements()
    assert found["penstock"]["equal_to_java"] is False
    assert found["java"]["equal_to_java"] is True


def test_rounds_become_a_median_with_spread_and_costs() -> None:
    turns = Turns(1_000_000)
    for rate in (90.0, 110.0, 100.0):
        turns.add("java", run(rate, table(a=b"1")))
    found = turns.measurements()["java"]
    assert (found["median"], found["spread_percent"], found["rates"]) == (100, 10.0, [90, 110, 100])
    assert (found["memory_mb"], found["cpu_s_per_million"], found["first_result_s"]) == (500, 8, 3)


def test_rates_are_those_of_the_time_in_which_the_machine_was_ours() -> None:
    turns = Turns(1_000_000)
    turns.add("java", run(90.0, table(a=b"1"), stolen=0.1))
    turns.add("java", run(60.0, table(a=b"1"), stolen=0.4))
    found = turns.measurements()["java"]
    assert (found["rates"], found["stolen_percent"]) == ([100, 100], [10.0, 40.0])


def test_without_java_nothing_is_said_of_equality() -> None:
    turns = Turns(10)
    turns.add("quix", run(1.0, table(a=b"1")))
    assert turns.measurements()["quix"]["equal_to_java"] is None

"""The printed tables and the picture: text from results."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from benchmarks import chart, report
from benchmarks.contenders import CONTENDERS


def entry(median: int, run: str = "r1", **more: Any) -> dict[str, Any]:
    usual = {
        "spread_percent": 4.2,
        "memory_mb": 700,
        "first_result_s": 2.04,
        "cpu_s_per_million": 9.0,
        "equal_to_java": True,
        "difference": None,
    }
    return {"median": median, **usual, "measured": {"run": run}, **more}


def test_a_cell_has_median_spread_and_ratio_to_java() -> None:
    java = entry(100_000)
    assert report.rate_cell(java, java) == "100,000 ±4%"
    assert report.rate_cell(entry(80_000), java) == "80,000 ±4% (0.80)"
    assert report.rate_cell(None, java) == "-"
    assert report.rate_cell(entry(80_000), None) == "80,000 ±4%"


def test_a_ratio_of_different_runs_has_a_star() -> None:
    assert report.rate_cell(entry(50, "r2"), entry(100)) == "50 ±4% (0.50*)"


def test_a_wrong_result_is_marked_and_told() -> None:
    wrong = entry(50, equal_to_java=False, difference="3 of 9 rows differ")
    found = report.throughput({"count-10k": {"exactly_once_v2": {"java": entry(9), "quix": wrong}}})
    assert "50 ±4% (5.56) !" in found
    assert "! count-10k, exactly_once_v2, quix: 3 of 9 rows differ" in found


def test_the_table_has_a_line_per_workload_and_guarantee() -> None:
    results = {
        "rekey": {"exactly_once_v2": {"java": entry(10), "penstock": entry(20)}},
        "count-10k": {
            "at_least_once": {"java": entry(30)},
            "exactly_once_v2": {"java": entry(40), "penstock": entry(50)},
        },
    }
    assert report.throughput(results).splitlines()[1:] == [
        "workload            guarantee        Penstock       Java Kafka Streams 4.3.1",
        "count, 10 k keys    exactly once v2  50 ±4% (1.25)  40 ±4%",
        "count, 10 k keys    at least once    -              30 ±4%",
        "re-key + aggregate  exactly once v2  20 ±4% (2.00)  10 ±4%",
    ]


def test_costs_are_shown_beside() -> None:
    found = report.costs({"rekey": {"exactly_once_v2": {"java": entry(10)}}})
    assert found.splitlines()[-1] == "re-key + aggregate  exactly once v2  2.0 s, 700 MB, 9.0 s"


def test_what_exactly_once_costs_is_told_where_both_guarantees_took_turns() -> None:
    one_run = {
        "exactly_once_v2": {"java": entry(90), "penstock": entry(80)},
        "at_least_once": {"java": entry(100), "penstock": entry(100)},
    }
    other_runs = {**one_run, "at_least_once": {name: entry(9, "r2") for name in CONTENDERS}}
    found = report.exactly_once({"count-10k": one_run, "rekey": other_runs})
    assert found.splitlines()[1:] == [
        "workload          Penstock  Java Kafka Streams 4.3.1",
        "count, 10 k keys  80%       90%",
    ]
    assert report.exactly_once({"rekey": other_runs}) == ""


def test_memory_is_listed_by_process() -> None:
    parts = {"driver": 90, "jvm": 400, "workers": 1300}
    entries = {
        "java": entry(9, memory_by_part_mb={"driver": 800}),
        "penstock": entry(9, memory_by_part_mb=parts),
    }
    found = report.memory({"count-1m": {"exactly_once_v2": entries}})
    assert [line.split() for line in found.splitlines()[2:]] == [
        ["count,", "1", "M", "keys", "Penstock", "90", "400", "1,300"],
        ["count,", "1", "M", "keys", "Java", "Kafka", "Streams", "4.3.1", "800", "-", "-"],
    ]


def test_latency_and_restoring_and_growth_are_shown() -> None:
    shares = {"p50": 64.9, "p95": 110.7, "p99": 134.0, "max": 203.7}
    restored = {
        "changelog_mb": 60.0,
        "restore_s": 2.0,
        "mb_per_s": 30.0,
        "records_per_s": 500_000,
        "restart_intact_s": 9.0,
    }
    found = report.report(
        {
            "latency": {"5000": {"java": shares}, "500": {"penstock": shares}},
            "restore": {"java": restored},
            "growth-keys": {
                "10000": {"java": entry(9, memory_mb=500)},
                "1010000": {"java": entry(8, memory_mb=700)},
            },
            "skipped": {"faust": "no wheel"},
        }
    )
    assert found.index("\n500 ") < found.index("\n5000 ")
    assert "64.9  110.7  134.0  203.7" in found
    assert "30.0  500,000" in found
    assert "Java Kafka Streams 4.3.1: 200.0 MB per million keys" in found
    assert found.endswith("skipped faust: no wheel")


def test_nothing_measured_is_nothing_shown() -> None:
    assert report.report({}) == ""
    assert chart.chart({}, "exactly_once_v2") == ""


def test_the_chart_has_a_bar_per_contender_and_java_is_one() -> None:
    results = {
        "hopping": {"exactly_once_v2": {"java": entry(100), "penstock": entry(150)}},
        "rekey": {"at_least_once": {"java": entry(100), "penstock": entry(150)}},
    }
    text = chart.chart(results, "exactly_once_v2")
    assert "1.50 x (150/s)" in text
    assert "re-key" not in text
    root = ElementTree.fromstring(text)
    wide = [
        float(each.get("width", "0"))
        for each in root.iter("{http://www.w3.org/2000/svg}rect")
        if each.get("height") == str(chart.BAR - 2)
    ]
    assert wide[0] / wide[1] == pytest.approx(1.5, rel=0.01)


def test_every_contender_has_a_colour() -> None:
    assert set(chart.COLOURS) == set(CONTENDERS)


def test_a_backfill_stands_beside_the_live_runs() -> None:
    results = {
        "backfill": {
            "count-10k": {
                "java": entry(100, whole_s=9.0),
                "backfill-2": entry(150, whole_s=20.26),
            }
        },
        "backfill-memory": {
            "2000": {"driver": 80, "jvm": 500, "workers": 220, "measured": {}},
            "200": {"driver": 80, "jvm": 430, "workers": 200, "measured": {}},
        },
    }
    assert report.backfill(results).splitlines()[1:] == [
        "workload          contender                    records/s       whole run  memory",
        "count, 10 k keys  Penstock backfill, local[2]  150 ±4% (1.50)  20.3 s     700 MB",
        "count, 10 k keys  Java Kafka Streams 4.3.1     100 ±4%         9.0 s      700 MB",
        "200 records: driver 80 MB, JVM 430 MB, Python workers 200 MB",
        "2,000 records: driver 80 MB, JVM 500 MB, Python workers 220 MB",
    ]
    assert report.backfill({}) == ""


def test_bounded_runs_are_shown_by_cores_and_extrapolated() -> None:
    way = {"per_second": 100_000, "cpu_us": 8.5}
    results = {"2": {"rows": 9, "topology": way, "measured": {}}, "1": {"by-hand": way}}
    assert report.bounded(results).splitlines()[1:] == [
        "cores  way                         rows/s   us of a row  10 million  100 million",
        "1      a loop by hand, mapInArrow  100,000  8.5          100 s       1,000 s",
        "2      the topology                100,000  8.5          100 s       1,000 s",
    ]

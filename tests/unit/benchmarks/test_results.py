"""Results of several runs become one file; the newest of the same name counts."""

from __future__ import annotations

from pathlib import Path

from benchmarks import results


def measured(median: int) -> dict[str, object]:
    return {"median": median, "measured": {"run": "a"}}


def test_parts_are_merged_and_measurements_replaced() -> None:
    known = {"throughput": {"count": {"java": {**measured(1), "old": True}, "quix": measured(2)}}}
    new = {"throughput": {"count": {"java": measured(3)}, "rekey": {"java": measured(4)}}}
    assert results.merged(known, new) == {
        "throughput": {
            "count": {"java": measured(3), "quix": measured(2)},
            "rekey": {"java": measured(4)},
        }
    }


def test_merging_changes_neither() -> None:
    known, new = {"a": {"b": measured(1)}}, {"a": {"c": measured(2)}}
    results.merged(known, new)
    assert (known, new) == ({"a": {"b": measured(1)}}, {"a": {"c": measured(2)}})


def test_a_measurement_is_put_under_its_names() -> None:
    assert results.nested(("a", "b"), {"x": 1}) == {"a": {"b": {"x": 1}}}


def test_the_file_grows_by_what_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    assert results.load(file) == {}
    results.keep(("latency", "500", "java"), measured(1), file)
    results.keep(("latency", "500", "penstock"), measured(2), file)
    found = results.load(file)
    assert found == {"latency": {"500": {"java": measured(1), "penstock": measured(2)}}}
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_a_stamp_says_when_where_and_in_which_run() -> None:
    stamp = results.stamp("abc")
    assert stamp["run"] == "abc"
    assert "cores" in stamp["machine"]
    assert stamp["at"].endswith("UTC")


def test_a_reason_is_forgotten_when_it_is_no_longer_true() -> None:
    known = {
        "latency": {"500": {"java": measured(1)}},
        "skipped": {
            "latency/500/java": "it ended",
            "latency/500/quix": "it ended",
            "faust": "no wheel",
            "bytewax": "no wheel",
        },
    }
    assert results.skips(known, {"pathway": "no wheel"}, ["bytewax"]) == {
        "latency/500/quix": "it ended",
        "faust": "no wheel",
        "pathway": "no wheel",
    }

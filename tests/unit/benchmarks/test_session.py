"""The contenders in turns."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from benchmarks import plan, results
from benchmarks.bench import Bench
from benchmarks.contenders import EXACTLY_ONCE
from benchmarks.session import Entries, Session
from benchmarks.throughput import Contest
from benchmarks.workloads import WORKLOADS


def test_without_contenders_nothing_is_run_not_even_to_warm_up(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    session = Session(cast("Bench", None), plan.parse(["--results", str(file)]), [])
    contest = Contest(WORKLOADS["count-10k"], EXACTLY_ONCE, ())
    session.compete([Entries(contest, [], ("throughput",))], 3)
    session.compete([], 3)
    assert results.load(file) == {}

"""Every case of `conformance/cases`: Python does what Java did, and Java still does what it did."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

import pytest

from conformance import differences, harness, java
from conformance.harness import Case, Observation
from penstock._engine.kafka.local_broker.jars import JarsError

CASES = list(harness.all_cases(harness.CASES).values())

# Java takes a fifth of a second for a case.
_ONE_OF = 10

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@functools.cache
def observe(case: Case) -> Observation:
    return harness.run(case)


@every_case
def test_outputs_are_java_s(case: Case) -> None:
    assert case.expected == observe(case).lines, _explain(case)


@every_case
def test_topology_text_is_java_s(case: Case) -> None:
    assert case.expected_topology == observe(case).topology


@pytest.mark.architecture
def test_every_case_has_both_programs_and_an_expectation() -> None:
    folders = sorted(path for path in harness.CASES.glob("*/*") if path.is_dir())
    needed = ("program.py", "Program.java", "expected.jsonl")
    missing = [
        f"{folder.name}/{name}"
        for folder in folders
        for name in needed
        if not (folder / name).exists()
    ]
    assert missing == []


@pytest.mark.slow
def test_recorded_expectations_are_what_java_gives_today(tmp_path: Path) -> None:
    """A sample, always the same; `make conformance-record` writes all of them anew."""
    sample = [case for case in CASES if crc32(case.name.encode()) % _ONE_OF == 0]
    try:
        code = java.record([case.name for case in sample], output=tmp_path)
    except (java.OracleError, JarsError) as error:
        pytest.skip(str(error))
    assert code == 0
    kept, today = _recorded(harness.CASES, sample), _recorded(tmp_path, sample)
    stale = sorted(name for name in {*kept, *today} if kept.get(name) != today.get(name))
    assert stale == [], "read what changed, then: make conformance-record"


def _recorded(folder: Path, cases: Iterable[Case]) -> dict[str, str]:
    places = [case.folder.relative_to(harness.CASES) for case in cases]
    paths = [folder / at / file for at in places for file in ("expected.jsonl", "topology.txt")]
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in paths
        if path.exists()
    }


def _explain(case: Case) -> str:
    return "\n".join(["", *differences.describe(case, observe(case))])

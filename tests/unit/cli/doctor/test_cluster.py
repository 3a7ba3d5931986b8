"""What `doctor` says of the copies of output topics."""

from __future__ import annotations

import pytest

from penstock.cli.doctor.cluster import judge_copies


@pytest.mark.parametrize(
    ("copies", "needed", "brokers", "status", "told"),
    [
        (3, 2, 3, None, ""),
        (1, 1, 1, None, ""),
        (2, 1, 2, None, ""),
        (1, 2, 1, "failed", "'min.insync.replicas' is 2, and it has 1: nothing can be written"),
        (1, 1, 3, "warning", "topic out has one copy"),
        (3, 3, 3, "warning", "one broker away stops all writes"),
        (2, 2, 3, "warning", "one broker away stops all writes"),
        (3, 1, 3, "warning", "may be on one broker only"),
    ],
)
def test_copies_and_how_many_must_take_a_record(
    copies: int, needed: int, brokers: int, status: str | None, told: str
) -> None:
    findings = judge_copies("out", copies, needed, brokers)
    assert [finding.status for finding in findings] == ([] if status is None else [status])
    assert all(told in finding.told and finding.fix for finding in findings)

"""Scans wait for their next page: not too many, not too long, once each."""

from __future__ import annotations

from itertools import count

import pytest

from penstock._engine.queries import open_scans
from penstock._engine.queries.open_scans import OPEN_SECONDS, OpenScans


def opened(most: int = 3) -> OpenScans[int, str]:
    return OpenScans(count(1).__next__, most)


def anything(_scan: str) -> bool:
    return True


def test_a_scan_is_taken_once_and_stays_for_who_does_not_fit() -> None:
    scans = opened()
    cursor = scans.keep("counts")
    assert scans.take(cursor, lambda scan: scan == "other") is None
    assert scans.take(cursor + 1, anything) is None
    assert scans.take(cursor, lambda scan: scan == "counts") == "counts"
    assert scans.take(cursor, anything) is None


def test_the_oldest_of_too_many_is_dropped() -> None:
    scans = opened(3)
    cursors = [scans.keep(f"scan {number}") for number in range(5)]
    assert len(scans) == 3
    assert [scans.take(cursor, anything) for cursor in cursors] == [
        None,
        None,
        "scan 2",
        "scan 3",
        "scan 4",
    ]


def test_scans_end_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(open_scans, "monotonic", lambda: now[0])
    scans = opened()
    old = scans.keep("old")
    now[0] += OPEN_SECONDS - 1
    new = scans.keep("new")
    scans.drop_old()
    assert len(scans) == 2
    now[0] += 1
    assert scans.take(old, anything) is None
    assert len(scans) == 1
    assert scans.take(new, anything) == "new"
    scans.keep("another")
    scans.clear()
    assert len(scans) == 0

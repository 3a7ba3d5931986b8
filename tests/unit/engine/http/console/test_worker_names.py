"""Workers are called by where they run."""

from __future__ import annotations

import pytest

from penstock._engine.control.protocol.messages import Report
from penstock._engine.http.console.worker_names import full_name, place_name, short_id

ID = "a43f263c4e5c4766b136d714b1d2f3a4"


@pytest.mark.parametrize(
    ("home", "slot", "place", "full"),
    [
        ("host-1:/state", (3, 2), "host-1 \u00b7 slot 2", "a43f263c on host-1"),
        ("host-1:/state", (0, 0), "host-1", "a43f263c on host-1"),
        ("", (0, 0), "a43f263c", "a43f263c"),
    ],
)
def test_a_worker_has_a_place(home: str, slot: tuple[int, int], place: str, full: str) -> None:
    report = Report(ID, "running", home=home, slot=slot)
    assert (place_name(report), full_name(report)) == (place, full)


def test_names_that_were_given_stay_whole() -> None:
    assert [short_id(ID), short_id("a-worker-of-mine")] == ["a43f263c", "a-worker-of-mine"]

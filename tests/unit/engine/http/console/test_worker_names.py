"""What workers are called."""

from __future__ import annotations

from penstock._engine.control.protocol.messages import Report
from penstock._engine.http.console.worker_names import (
    full_name,
    machine_of,
    place_name,
    place_names,
    short_id,
)

GENERATED = "0123456789abcdef" * 2


def test_a_worker_is_called_by_where_it_runs() -> None:
    report = Report(GENERATED, "running", home="host-0:1:/state", slot=(3, 2))
    assert machine_of(report) == "host-0"
    assert place_name(report) == "host-0 \u00b7 slot 2"
    assert full_name(report) == "01234567 on host-0"
    assert place_names({"a": report}) == {"a": "host-0 \u00b7 slot 2"}


def test_a_worker_that_has_no_place_yet_is_called_by_its_id() -> None:
    assert place_name(Report(GENERATED, "running")) == "01234567"
    assert place_name(Report("worker-1", "running")) == "worker-1"
    assert full_name(Report("worker-1", "running")) == "worker-1"


def test_names_that_are_not_generated_stay_whole() -> None:
    assert short_id(GENERATED) == "01234567"
    assert short_id("0" * 40) == "0" * 40
    assert short_id("host-0-worker-3") == "host-0-worker-3"

"""Noting how far an application got, when it has ended. (With a real broker:
tests/broker/test_carrier_topics.py.)
"""

from __future__ import annotations

from typing import Any

import pytest

from penstock._clock import monotonic
from penstock._engine.spark.between import kept_offsets
from penstock._engine.spark.between.first_start import OpenedRecord, opened_record
from penstock._engine.spark.between.kept_offsets import note_end
from penstock._engine.spark.between.run_folder import RunRecord
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

CONFIG = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:1"})


class Folder:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.records: list[RunRecord] = []

    def write(self, record: RunRecord) -> None:
        self.records.append(record)


def opened() -> OpenedRecord:
    made = opened_record(None, "app", "cluster", "folder")
    made.note_offsets({}, is_running=True)
    return made


def test_the_end_of_a_run_whose_cluster_is_away_does_not_wait_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`task.timeout.ms` is five minutes, in which neither `close` nor `wait` would return."""
    monkeypatch.setattr(kept_offsets, "END_SECONDS", 2.0)
    folder, begin = Folder(), monotonic()
    with pytest.raises(StreamsError, match="was not possible within 2 s"):
        note_end(opened(), ["out"], CONFIG, folder)
    assert monotonic() - begin < 20
    assert folder.records == []


def test_outputs_that_cannot_be_looked_at_do_not_keep_the_end_from_being_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: Any) -> None:
        msg = "topic 'out' cannot be looked at"
        raise StreamsError(msg)

    at_end = {"in": {"0": (9, "t")}}
    monkeypatch.setattr(kept_offsets, "offsets_of_group", lambda *_: at_end)
    monkeypatch.setattr(kept_offsets, "wait_until_readable", refused)
    folder, made = Folder(), opened()
    with pytest.raises(StreamsError, match="'out' cannot be looked at"):
        note_end(made, ["out"], CONFIG, folder)
    assert folder.records == [made.record]
    assert (made.record.offsets, made.record.is_running) == (at_end, False)

"""A task that cannot begin to write says so before its first chunk is full. (What it writes to a
broker: tests/broker/test_backfill.py.)
"""

from __future__ import annotations

from concurrent.futures import wait

import pytest

from penstock._engine.kafka.backfill import delivery
from penstock._engine.kafka.backfill.delivery import DeliverySite, TaskDelivery
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

WAIT_SECONDS = 20


def refuse(committer: object) -> None:
    raise StreamsError("no right to the transactional id")


@pytest.mark.parametrize("outputs", [[], [("out", 0, b"k", b"v", 1, ())]])
def test_a_task_that_cannot_begin_says_so_with_its_first_records(
    outputs: list[tuple[str, int, bytes, bytes, int, tuple[()]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "prepare", refuse)
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "127.0.0.1:1"})
    task = TaskDelivery(DeliverySite(config, "run-1", frozenset()), 0)
    try:
        assert wait([task._found], WAIT_SECONDS).done, "the task did not even try to begin"
        with pytest.raises(StreamsError, match="no right"):
            task.take(outputs)
    finally:
        task.close()

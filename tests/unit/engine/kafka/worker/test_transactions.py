"""What holds a producer, and lets go of it; commits themselves are tested on a broker."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import cast

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from penstock._engine.kafka.client.bulk import Unwritten
from penstock._engine.kafka.client.client_errors import TaskMigrated
from penstock._engine.kafka.worker.transactions import ExactlyOnce, _unwritten


@pytest.fixture
def _no_search_for_garbage() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_no_search_for_garbage")
def test_a_producer_goes_with_the_last_who_holds_it() -> None:
    """Each time a worker loses its tasks it begins with another, and the old one has threads."""
    nobody = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0, "transactional.id": "some"}
    committer = ExactlyOnce(nobody)
    held = weakref.ref(committer)
    del committer
    assert held() is None


def test_records_that_a_fenced_producer_still_had_are_not_refused_records() -> None:
    """They fail with "Local: Fatal error", which was taken for a fault of the record: a zombie
    ended the application (seed 10001 of tests/chaos).
    """
    left = Unwritten("counts-changelog", 0, None, None, KafkaError(KafkaError._FATAL))
    told = _unwritten([left])
    assert type(told) is TaskMigrated


class Fenced:
    """A producer that was fenced: whatever is asked of it raises."""

    def poll(self, _seconds: float) -> int:
        raise KafkaException(KafkaError(KafkaError._FENCED))


def test_a_producer_that_is_fenced_while_it_tells_of_records_is_a_migration() -> None:
    """The client's own exception ended the worker (seed 24001 of tests/chaos)."""
    nobody = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0, "transactional.id": "some"}
    committer = ExactlyOnce(nobody)
    committer._producer = cast("Producer", Fenced())
    with pytest.raises(TaskMigrated, match="of no use any more"):
        committer._poll_deliveries(0)

"""What holds a producer, and lets go of it; commits themselves are tested on a broker."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from penstock._engine.kafka.transactions import ExactlyOnce


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

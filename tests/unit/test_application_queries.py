"""The reads of `KafkaStreams`, without Spark and Kafka."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from penstock.errors import QueryError
from penstock.queries import KeyQuery, StateQueryRequest
from tests.unit.test_application import FakeQuery, application, queries

__all__ = ["queries"]


@pytest.mark.parametrize("timeout", [0, -1, timedelta(0), timedelta(microseconds=1)])
def test_a_read_needs_some_time(queries: list[FakeQuery], timeout: Any) -> None:
    streams = application()
    streams.start()
    vars(queries[0]).update(asker=None, stores=None)
    with pytest.raises(QueryError, match=r"timeout must be at least 1 ms; got (0|-1|0:00:00)"):
        streams.store("counts", timeout=timeout)
    with pytest.raises(QueryError, match="timeout must be at least 1 ms"):
        streams.query(StateQueryRequest("counts", KeyQuery("a")), timeout=timeout)
    assert streams.close()

"""Records one after the other, in Python and in C: the same results."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import Consumed, StreamsBuilder, StreamsError, serdes
from penstock._clock import monotonic
from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.input.partition_run import process_plainly, process_run
from penstock.handlers import ErrorHandlerContext, Response
from penstock.serdes import Serde
from tests.unit.engine.runtime.test_task import offsets, raws, task


class OneByOne(Serde[Any]):
    """A serde of the user: it is asked for each record when its turn has come."""

    def __init__(self, inner: Serde[Any]) -> None:
        self._inner = inner

    def encode(self, value: Any) -> bytes:
        return self._inner.encode(value)

    def decode(self, data: bytes) -> Any:
        return self._inner.decode(data)


KEYS_OR_NONE = st.sampled_from([None, b"k", b"\xff"])
JSON_OR_BAD = st.sampled_from([b'{"n":1}', b"[1, 2]", b"{", None])
TIMES = st.sampled_from([-1, 0, 1, 5])
Given: TypeAlias = tuple[bytes | None, bytes | None, int]
RECORDS = st.lists(st.tuples(KEYS_OR_NONE, JSON_OR_BAD, TIMES), max_size=12)
TEXT, DOCUMENT = serdes.string(), serdes.json()

FORMS = dict.fromkeys([process_plainly, process_run])


class UnhappyError(Exception):
    """What the program of a user raises."""


@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
@given(
    st.tuples(RECORDS, RECORDS), st.booleans(), st.booleans(), st.integers(0, 30), st.integers(1, 4)
)
def test_c_changes_neither_results_nor_the_order_of_events(
    partitions: tuple[list[Given], list[Given]],
    is_of_user: bool,
    goes_on: bool,
    raises_at: int,
    limit: int,
) -> None:
    key, value = (OneByOne(TEXT), OneByOne(DOCUMENT)) if is_of_user else (TEXT, DOCUMENT)

    def events() -> list[Any]:
        seen: list[Any] = []

        class Handler:
            def handle_error(
                self, context: ErrorHandlerContext, record: Any, error: Exception
            ) -> Response:
                seen.append(("bad", context.offset, str(error)))
                return Response.resume() if goes_on else Response.fail()

        def see(key: Any, value: Any) -> None:
            position = made.position
            seen.append((key, value, position.metadata(), position.raw, position.stream_time_ms))
            if len(seen) == raises_at:
                raise UnhappyError

        def program(builder: StreamsBuilder) -> None:
            builder.stream("in", Consumed(key=key, value=value)).for_each(see)

        made = task(program, **{"deserialization.exception.handler": Handler()})
        queues = made._queues.by_partition.values()
        try:
            for partition, records in enumerate(partitions):
                batch = [(at, time, k, v, ()) for at, (k, v, time) in enumerate(records)]
                made.add_records("in", partition, batch)
            while made.process(0, limit):
                seen.append((offsets(made.prepare_commit()), made.buffered()))
        except StreamsError as error:
            seen.append((type(error), str(error), type(error.__cause__)))
        seen += ((queue.head, queue.partition_time, len(queue)) for queue in queues)
        return [*seen, made.counters.by_name()]

    with patch("penstock._engine.runtime.task.process_run", process_plainly):
        expected = events()
    assert events() == expected


@pytest.mark.parametrize("process", FORMS)
def test_what_is_not_an_error_goes_through(process: Callable[..., int]) -> None:
    def stop(_key: Any, _value: Any) -> None:
        raise KeyboardInterrupt

    made = task(lambda builder: builder.stream("in").for_each(stop))
    made.add_records("in", 0, raws(1, 2))
    with (
        patch("penstock._engine.runtime.task.process_run", process),
        pytest.raises(KeyboardInterrupt),
    ):
        made.process(0, 2)
    assert made.buffered() == {("in", 0): 1, ("in", 1): 0}
    assert made.counters.processed == 1


@pytest.mark.parametrize("process", FORMS)
def test_nothing_of_a_record_stays(process: Callable[..., int]) -> None:
    """A reference too many, and a worker would grow with each record."""
    made = task(lambda builder: builder.stream("in").for_each(lambda key, value: None))
    records = [(at, at, b"key", b"value %d" % at, ()) for at in range(100)]
    before = [sys.getrefcount(record) for record in records]
    made.add_records("in", 0, records)
    with patch("penstock._engine.runtime.task.process_run", process):
        assert made.process(200, 200) == 100
    made.position.raw = None
    assert [sys.getrefcount(record) for record in records] == before


@pytest.mark.parametrize("process", FORMS)
def test_a_deadline_ends_it_after_the_record_in_hand(process: Callable[..., int]) -> None:
    made = task(lambda builder: builder.stream("in").for_each(lambda key, value: None))
    made.add_records("in", 0, raws(*range(10)))
    with patch("penstock._engine.runtime.task.process_run", process):
        assert made.process(0, 10, deadline=0.0) == 1
        assert made.process(0, 10, deadline=monotonic() + 1000.0) == 9

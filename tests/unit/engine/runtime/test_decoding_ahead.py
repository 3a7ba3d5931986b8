"""Records are decoded many at a time: nobody can tell."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from penstock import Consumed, StreamsBuilder, StreamsError, serdes
from penstock.handlers import ErrorHandlerContext, Response
from penstock.serdes import Serde
from tests.unit.engine.runtime.test_task import offsets, task


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


@given(
    st.lists(st.tuples(KEYS_OR_NONE, JSON_OR_BAD, st.sampled_from([0, 1, 5])), max_size=12),
    st.integers(1, 4),
    st.booleans(),
)
def test_decoding_ahead_changes_neither_results_nor_the_order_of_events(
    records: list[tuple[bytes | None, bytes | None, int]], ahead: int, fails: bool
) -> None:
    def events(key: Serde[Any], value: Serde[Any]) -> list[Any]:
        seen: list[Any] = []

        class Handler:
            def handle_error(
                self, context: ErrorHandlerContext, record: Any, error: Exception
            ) -> Response:
                seen.append(("bad", context.offset, str(error)))
                return Response.fail() if fails else Response.resume()

        def program(builder: StreamsBuilder) -> None:
            stream = builder.stream("in", Consumed(key=key, value=value))
            stream.for_each(lambda key, value: seen.append((key, value)))

        made = task(program, **{"deserialization.exception.handler": Handler()})
        batch = [(at, time, k, v, ()) for at, (k, v, time) in enumerate(records)]
        try:
            made.add_records("in", 0, batch)
            while made.process(0, 2):
                seen.append(offsets(made.prepare_commit()))
        except StreamsError as error:
            seen.append(type(error))
        return seen

    with patch("penstock._engine.runtime.record_queue._DECODED_AHEAD", ahead):
        text, document = serdes.string(), serdes.json()
        assert events(text, document) == events(OneByOne(text), OneByOne(document))

"""The store of windowed aggregates, or of one side of a stream-stream join, as its operator sees
it: bytes are decoded as late as possible, as in `table.py`.

A *row* is a stored value, with its timestamp before it if the store is timestamped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from penstock._engine.state.cache.fold import Fold, Functions, make_fold
from penstock._engine.state.codec import (
    TIMESTAMP_BYTES,
    Codec,
    CodedState,
    RowCodec,
    wrong_type,
)
from penstock._engine.state.segments.rows import SEGMENT_BYTES, time_at
from penstock._engine.state.segments.window_rows import TAIL_BYTES, WindowRow, WindowRows
from penstock._engine.state.views.table import Forward, row_putter
from penstock.record import HeaderPairs
from penstock.windowed import Windowed

_SEQUENCE_BYTES = TAIL_BYTES - 8
"""The sequence number behind the start in a row key; only joins have several rows of a key and
start.
"""


class WindowState(CodedState[RowCodec]):
    """Rows of windows. Attributes that an operator calls for each record are plain functions."""

    KEY_MARGINS: Final = (SEGMENT_BYTES, _SEQUENCE_BYTES)
    """How many bytes of a row's key stand before and behind those of its record's key, which ends
    with the start of the window.
    """

    __slots__ = (
        "_rows",
        "around_key",
        "backward_fetch",
        "cache",
        "decode_row",
        "fetch",
        "get",
        "peek_row",
        "put",
        "put_plain",
        "put_row",
        "window_size_ms",
    )

    def __init__(self, name: str, codec: RowCodec, rows: WindowRows) -> None:
        super().__init__(name, codec)
        self._rows = rows
        self.cache = rows.cache
        self.window_size_ms = rows.window_size_ms
        self.decode_row = codec.decode_row
        """`(timestamp, value) = decode_row(row)` of a row with a time."""
        self.get = rows.get
        """`get(raw_key, start)` returns a row, None if there is none."""
        self.around_key = rows.around_key
        """`(before, behind) = around_key[start]`: the bytes around the raw key in a row key."""
        self.peek_row = rows.peek_row
        """`peek_row(row_key)` returns a row to an operator that is about to put it."""
        self.put_row = row_putter(name, codec, rows.store)
        """`put_row(row_key, value, value_timestamp, timestamp, headers)` does what `put` does."""
        self.fetch = rows.fetch
        """`fetch(raw_key, time_from, time_to)` returns pairs of (start, row), the earliest first;
        the bounds are included. `as_range` says that Java reads a range of keys with one key.
        """
        self.backward_fetch = rows.backward_fetch
        """`backward_fetch(raw_key, time_from, time_to)` yields the same, the latest first."""
        self.put = _make_put(name, codec, rows)
        """`put(raw_key, start, value, value_timestamp, timestamp, headers)` stores a row with its
        time, or deletes it (None), on behalf of a record of `timestamp` and `headers`.
        """
        self.put_plain = _make_plain_put(name, codec, rows)
        """`put_plain(raw_key, start, value, timestamp, headers)` stores a row without a timestamp.
        """

    def fetch_all(self, time_from: int, time_to: int) -> Iterator[WindowRow]:
        """Yield (raw key, start, row) of all keys between two times, both included."""
        return self._rows.fetch_range(None, None, time_from, time_to, reverse=False)

    def fetch_kept(self, time_from: int, time_to: int) -> Iterator[WindowRow]:
        """Yield what `fetch_all` yields, and expired rows that are still stored; only of the store
        of an aggregation that emits on close.
        """
        return self._rows.fetch_kept(time_from, time_to)

    def kept_from(self, observed: int) -> int:
        """Return the first start that `fetch_kept` finds once `observed` is the latest that was
        put.
        """
        return self._rows.kept_from(observed)

    def observed_time(self) -> int:
        """Return the latest start that was put, -1 if nothing was."""
        return self._rows.rows.clock.observed

    @staticmethod
    def start_of(row_key: bytes) -> int:
        """Return the start of the window of a row key."""
        return time_at(row_key, len(row_key) - TAIL_BYTES)[0]

    def value_of(self, row: bytes | None) -> Any:
        """Return the value of a row with a time, a new one each time."""
        return None if row is None else self.codec.decode_value(row[TIMESTAMP_BYTES:])

    def forwards_at_flush(self, forward: Forward, *, sends_old_values: bool) -> bool:
        """Forward changes when the cache is flushed; False if there is no cache: then the operator
        must forward each change itself.
        """
        cache = self.cache
        if cache is None:
            return False
        decode_key, decode_row = self.codec.decode_key, self.codec.decode_row
        value_of, start_of, end_of = self.value_of, self.start_of, self._rows.end_of
        # The constructor of Windowed is a function in Python: this is faster.
        in_window: Callable[[tuple[Any, int, int]], Windowed[Any]] = partial(
            tuple.__new__, Windowed
        )

        def forward_row(
            row_key: bytes,
            new: bytes | None,
            old: bytes | None,
            timestamp: int,
            headers: HeaderPairs,
        ) -> None:
            start = start_of(row_key)
            key = in_window((decode_key(row_key[SEGMENT_BYTES:-TAIL_BYTES]), start, end_of(start)))
            old_value = None if old is None else value_of(old)
            own_timestamp, value = (timestamp, None) if new is None else decode_row(new)
            forward(key, (value, old_value), own_timestamp, headers)

        cache.listen(forward_row, sends_old_values=sends_old_values)
        return True

    def folder(self, functions: Functions) -> Fold:
        """Return the function that folds a record into the aggregate of a row key."""
        return make_fold(self.cache, self.codec, self.peek_row, self.put_row, functions)


def _make_put(
    name: str, codec: RowCodec, rows: WindowRows
) -> Callable[[bytes, int, Any, int, int, HeaderPairs], None]:
    encode, put_row = codec.encode_row, rows.put

    def put(  # noqa: PLR0917  # keywords would cost each record something
        raw_key: bytes,
        start: int,
        value: Any,
        value_timestamp: int,
        timestamp: int,
        headers: HeaderPairs,
    ) -> None:
        row = None
        if value is not None:
            try:
                row = encode(value, value_timestamp)
            except TypeError as error:
                raise wrong_type(name, "value", value, error) from error
        put_row(raw_key, start, row, timestamp, headers)

    return put


def _make_plain_put(
    name: str, codec: Codec, rows: WindowRows
) -> Callable[[bytes, int, Any, int, HeaderPairs], None]:
    encode, put_row = codec.encode_value, rows.put

    def put_plain(
        raw_key: bytes, start: int, value: Any, timestamp: int, headers: HeaderPairs
    ) -> None:
        try:
            row = None if value is None else encode(value)
        except TypeError as error:
            raise wrong_type(name, "value", value, error) from error
        put_row(raw_key, start, row, timestamp, headers)

    return put_plain

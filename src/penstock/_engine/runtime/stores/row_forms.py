"""What the rows of each kind of store hold besides the value: nothing, a time, headers, or both.

A changelog record has the value alone; its timestamp and headers are the rest. To a store that
keeps headers, restored records and rows that are asked for come with the headers before the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from penstock._engine.runtime.output.collector import Collect
from penstock._engine.runtime.output.row_sender import (
    log_to,
    log_with_own_headers_to,
    log_with_own_time_and_headers_to,
    log_with_own_time_to,
)
from penstock._engine.runtime.records import ChangelogRecord, RawRecord
from penstock._engine.state.codec import (
    TIMESTAMP_BYTES,
    Codec,
    RowCodec,
    pack_timestamp,
    timestamp_of,
    timestamped_codec,
    values_of_timestamped_codec,
)
from penstock._engine.state.header_codec import (
    end_of_headers,
    headers_codec,
    pack_headers,
    timed_headers_codec,
    values_of_headers_codec,
    values_of_timed_headers_codec,
)
from penstock._engine.state.logged import Log
from penstock.stores import ValueAndTimestamp
from penstock.stores._builders import StoreKind


@dataclass(frozen=True, slots=True)
class RowForm:
    """How rows are logged, shown and restored."""

    log: Callable[[Collect, str, int], Log]
    face: Callable[[RowCodec], Codec]
    """Returns the codec of the store as processors see it."""
    values: Callable[[RowCodec], Codec]
    """Returns the codec of the same without times and headers."""
    asked: Callable[[RowCodec], Codec]
    """Returns the codec of the store as questions see it."""
    apart: Callable[[bytes], tuple[bytes, int | None]]
    """Returns value and time of a row."""
    restored: Callable[[bytes, int], bytes] | None = None
    """`restored(value, timestamp)` returns the row of a changelog record; None if it is the value.
    """
    keeps_headers: bool = False


def form_of(kind: StoreKind) -> RowForm:
    """Return the form of the rows of a kind of store."""
    return _FORMS.get(kind, _PLAIN)


def changes_of(records: Iterable[RawRecord], *, with_headers: bool) -> list[ChangelogRecord]:
    """Return what a store is restored from. A table's own topic may hold records without a key,
    which are no rows.
    """
    if not with_headers:
        return [
            (key, value, timestamp) for _, timestamp, key, value, _ in records if key is not None
        ]
    return [
        (key, None if value is None else pack_headers(headers) + value, timestamp)
        for _, timestamp, key, value, headers in records
        if key is not None
    ]


def _as_it_is(plain: RowCodec) -> Codec:
    return plain


def _asked_with_time_and_headers(plain: RowCodec) -> Codec:
    def decode(row: bytes) -> ValueAndTimestamp[bytes]:
        return ValueAndTimestamp(*_with_time_apart(row))

    return Codec(plain.encode_key, plain.decode_key, plain.encode_value, decode)


def _with_time_apart(row: bytes) -> tuple[bytes, int]:
    return row[TIMESTAMP_BYTES:], timestamp_of(row)


def _with_time_and_headers_apart(row: bytes) -> tuple[bytes, int]:
    return row[end_of_headers(row, TIMESTAMP_BYTES) :], timestamp_of(row)


def _with_time(value: bytes, timestamp: int) -> bytes:
    return pack_timestamp(timestamp) + value


_PLAIN: Final = RowForm(log_to, _as_it_is, _as_it_is, _as_it_is, lambda row: (row, None))
_WITH_TIME: Final = RowForm(
    log_with_own_time_to,
    timestamped_codec,
    values_of_timestamped_codec,
    timestamped_codec,
    _with_time_apart,
    _with_time,
)
_WITH_TIME_AND_HEADERS: Final = RowForm(
    log_with_own_time_and_headers_to,
    timed_headers_codec,
    values_of_timed_headers_codec,
    _asked_with_time_and_headers,
    _with_time_and_headers_apart,
    _with_time,
    keeps_headers=True,
)
_WITH_HEADERS: Final = RowForm(
    log_with_own_headers_to,
    headers_codec,
    values_of_headers_codec,
    _as_it_is,
    lambda row: (row[end_of_headers(row) :], None),
    keeps_headers=True,
)
_FORMS: Final[dict[StoreKind, RowForm]] = {
    "timestamped_key_value": _WITH_TIME,
    "timestamped_window": _WITH_TIME,
    "timestamped_key_value_with_headers": _WITH_TIME_AND_HEADERS,
    "timestamped_window_with_headers": _WITH_TIME_AND_HEADERS,
    "session_with_headers": _WITH_HEADERS,
}

"""The buffer in which a stream's records wait for a join with a versioned table: by time, key and
order of arrival. Java: RocksDBTimeOrderedKeyValueBuffer.

```
key:     0 | time | key | a number that each put counts up
value:   the record: its place, its headers, its value
clock:   0xff "clock"       the latest time that was put, and the number of the last put
```
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct
from typing import Any, Final, NamedTuple

from penstock._engine.state.cache.entries import RecordInHand
from penstock._engine.state.codec import Codec, wrong_type
from penstock._engine.state.logged import LogWithoutTime
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.suppression_buffer import Held, decode_held, encode_held
from penstock.record import HeaderPairs

_TIME_FIRST = Struct(">Bq")
_NUMBER = Struct(">i")
_CLOCK = Struct(">qi")
_CLOCK_KEY: Final = b"\xffclock"
_NUMBER_LIMIT: Final = 0x7FFFFFFF


class Waited(NamedTuple):
    """A record that has waited long enough, and where it came from."""

    key: Any
    value: Any
    timestamp: int
    headers: HeaderPairs
    topic: str | None
    partition: int
    raw: Any
    """The raw record, its offset first, without its bytes."""


class JoinBuffer:
    """Records in the order of their times."""

    __slots__ = (
        "_codec",
        "_earliest",
        "_log",
        "_name",
        "_number",
        "_overlay",
        "_position",
        "stream_time",
    )

    def __init__(
        self,
        name: str,
        codec: Codec,
        overlay: Overlay,
        log: LogWithoutTime | None,
        position: RecordInHand,
    ) -> None:
        self._name = name
        self._codec = codec
        self._overlay = overlay
        self._log = log or _nowhere
        self._position = position
        self._earliest = 0
        """No buffered record is earlier."""
        clock = overlay.get(_CLOCK_KEY)
        self.stream_time, self._number = (-1, 0) if clock is None else _CLOCK.unpack(clock)

    def put(self, key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        """Buffer a record."""
        self._number = (self._number + 1) & _NUMBER_LIMIT
        tail = _NUMBER.pack(self._number)
        row_key = _TIME_FIRST.pack(0, timestamp) + self._encoded(key, "key") + tail
        position = self._position
        record = Held(
            time=0,
            prior=None,
            old=None,
            new=self._encoded(value, "value"),
            timestamp=timestamp,
            headers=headers,
            topic=position.topic,
            partition=position.partition,
            raw=position.raw,
            size=0,
        )
        row = encode_held(record)
        self._overlay.put(row_key, row)
        self._log(row_key, row, ())
        self.stream_time = max(self.stream_time, timestamp)
        self._earliest = min(self._earliest, timestamp)

    def take(self, until: int) -> Iterator[Waited]:
        """Yield the records of `until` and before, in order; each is deleted when the caller asks
        for the next one.
        """
        if until < self._earliest:
            return
        for row_key, waited in self._scan(self._earliest, until):
            yield waited
            self._overlay.delete(row_key)
            self._log(row_key, None, ())
        self._earliest = until + 1

    def read_first(self) -> None:
        """Read the first record, if there is one."""
        next(self._scan(0, self.stream_time), None)

    def _scan(self, since: int, until: int) -> Iterator[tuple[bytes, Waited]]:
        first, end = _TIME_FIRST.pack(0, since), _TIME_FIRST.pack(0, until + 1)
        decode_key, decode_value = self._codec.decode_key, self._codec.decode_value
        for row_key, row in self._overlay.scan(first, end, reverse=False):
            _, (_, _, new), (timestamp, headers, topic, partition, raw) = decode_held(row)
            key = decode_key(row_key[_TIME_FIRST.size : -_NUMBER.size])
            value = None if new is None else decode_value(new)
            yield row_key, Waited(key, value, timestamp, headers, topic, partition, raw)

    def commit(self, changelog_offset: int | None) -> None:
        """Write all changes to the engine."""
        self._overlay.put(_CLOCK_KEY, _CLOCK.pack(self.stream_time, self._number))
        self._overlay.apply(changelog_offset)

    def restored(
        self, records: Iterable[tuple[bytes, bytes | None, int]]
    ) -> dict[bytes, bytes | None]:
        """Apply changelog records; return the changes to write to the engine."""
        changes: dict[bytes, bytes | None] = {}
        for row_key, row, _ in records:
            changes[row_key] = row
            _, time = _TIME_FIRST.unpack_from(row_key)
            self.stream_time = max(self.stream_time, time)
            self._number = max(self._number, *_NUMBER.unpack(row_key[-_NUMBER.size :]))
        changes[_CLOCK_KEY] = _CLOCK.pack(self.stream_time, self._number)
        return changes

    def _encoded(self, part: Any, what: str) -> bytes:
        encode = self._codec.encode_key if what == "key" else self._codec.encode_value
        try:
            return encode(part) or b""
        except TypeError as error:
            raise wrong_type(self._name, what, part, error) from error


def _nowhere(key: bytes, value: bytes | None, headers: HeaderPairs) -> None:
    """The changelog of a buffer that has none."""

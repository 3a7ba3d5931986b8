"""The buffer of suppress: the rows that it holds back, in the order of their times.

A row keeps its place in the queue however often it changes: its time is that of its first change
here. The order, the measure of bytes and the changelog (its version 3) are Java's:
InMemoryTimeOrderedKeyValueChangeBuffer. It lives in memory and is restored from the changelog.
Bytes here, types in `views/suppression.py`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias

from penstock._engine.state.logged import LogWithoutTime
from penstock.record import HeaderPairs

Origin: TypeAlias = tuple[int, HeaderPairs, str | None, int, Any]
"""(timestamp, headers, topic, partition, raw) of the record that made a change."""
Values: TypeAlias = tuple[bytes | None, bytes | None, bytes | None]
"""(prior, old, new)"""

_RECORD = Struct(">qqi")
_INT = Struct(">i")
_LONG = Struct(">q")

_NONE: Final = -1
_SAME_AS_PRIOR: Final = -2
_VERSION_3: Final[HeaderPairs] = (("v", b"\x03"),)

_ENTRY_BYTES: Final = 28
"""The bytes that Java counts besides key, values, topic and headers: the times, the offset, the
partition.
"""

_ORDERED_MAX: Final = 64
"""Up to this many changes of one commit are written in Java's order; of more, the order is not
compared.
"""


class Held(NamedTuple):
    """A row that is held back: its latest change and the record that made it."""

    time: int
    """Its place in the queue."""
    prior: bytes | None
    """The value that was emitted last."""
    old: bytes | None
    new: bytes | None
    timestamp: int
    headers: HeaderPairs
    topic: str | None
    partition: int
    raw: Any
    """The raw record, its offset first."""
    size: int


class SuppressionBuffer:
    """Changes by key, in the order of their times, then their keys."""

    __slots__ = ("_capacity", "_changed", "_log", "held", "queue", "size_bytes")

    def __init__(self, log: LogWithoutTime | None) -> None:
        self._log = log
        self.held: dict[bytes, Held] = {}
        """The rows held back, by key."""
        self.queue: list[tuple[int, bytes]] = []
        """(time, key) of all rows held back, as a heap."""
        self._changed: dict[bytes, None] = {}
        self._capacity = 16
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self.held)

    def put(
        self,
        key: bytes,
        time: int,
        new: bytes | None,
        old: bytes | None,
        record: Origin,
    ) -> None:
        """Buffer a change; it replaces an earlier one of its key."""
        before = self.held.get(key)
        if before is None:
            prior = old
            heapq.heappush(self.queue, (time, key))
        else:
            time, prior = before.time, before.prior
            self.size_bytes -= before.size
        held = _held(key, time, (prior, old, new), record)
        self.held[key] = held
        self.size_bytes += held.size
        if self._log is not None:
            self._changed[key] = None

    def pop_first(self) -> None:
        """Remove the row that is due first."""
        _, key = heapq.heappop(self.queue)
        self.size_bytes -= self.held.pop(key).size
        if self._log is not None:
            self._changed[key] = None

    def flush(self) -> bool:
        """Write the rows that have changed to the changelog; return whether there were any."""
        log, changed = self._log, self._changed
        if log is None or not changed:
            return False
        while len(changed) > self._capacity * 3 // 4:
            self._capacity *= 2
        for key in _in_java_order(changed, self._capacity):
            held = self.held.get(key)
            if held is None:
                log(key, None, ())
            else:
                log(key, encode_held(held), _VERSION_3)
        self._changed = {}
        return True

    def restore(self, records: Iterable[tuple[bytes, bytes | None]]) -> None:
        """Apply changelog records."""
        for key, value in records:
            before = self.held.pop(key, None)
            if before is not None:
                self.size_bytes -= before.size
            if value is not None:
                time, values, record = decode_held(value)
                held = _held(key, time if before is None else before.time, values, record)
                self.held[key] = held
                self.size_bytes += held.size
        self.queue = [(held.time, key) for key, held in self.held.items()]
        heapq.heapify(self.queue)

    def clear(self) -> None:
        """Drop all rows."""
        self.held, self.queue, self._changed, self.size_bytes = {}, [], {}, 0


def _held(key: bytes, time: int, values: Values, record: Origin) -> Held:
    """Return a row to hold back, with the bytes that Java counts for it."""
    prior, old, new = values
    timestamp, headers, topic, partition, raw = record
    size = _ENTRY_BYTES + len(key)
    if prior is not None:
        size += len(prior)
    if old is not None and old != prior:
        size += len(old)
    if new is not None:
        size += len(new)
    if topic is not None:
        size += len(topic)
    for name, value in headers:
        size += len(name) + (0 if value is None else len(value))
    return Held(time, prior, old, new, timestamp, headers, topic, partition, raw, size)


def encode_held(held: Held) -> bytes:
    """Encode a row for the changelog."""
    # Java cannot write a record of no topic, as a timer forwards it; an empty name is read back.
    topic = (held.topic or "").encode()
    offset = -1 if held.raw is None else held.raw[0]
    parts = [
        _RECORD.pack(held.timestamp, offset, len(topic)),
        topic,
        _INT.pack(held.partition),
        _INT.pack(len(held.headers)),
    ]
    for name, value in held.headers:
        parts += [_sized(name.encode()), _sized(value)]
    parts.append(_sized(held.prior))
    if held.old is not None and held.old == held.prior:
        parts.append(_INT.pack(_SAME_AS_PRIOR))
    else:
        parts.append(_sized(held.old))
    parts += [_sized(held.new), _LONG.pack(held.time)]
    return b"".join(parts)


def decode_held(data: bytes) -> tuple[int, Values, Origin]:
    """Decode a row of the changelog: its time, its values and the record that made it."""
    timestamp, offset, length = _RECORD.unpack_from(data)
    at = _RECORD.size + length
    topic = data[_RECORD.size : at].decode()
    partition, count = _INT.unpack_from(data, at)[0], _INT.unpack_from(data, at + 4)[0]
    at += 8
    pairs: list[tuple[str, bytes | None]] = []
    for _ in range(max(0, count)):
        name, at = _read_sized(data, at)
        value, at = _read_sized(data, at)
        pairs.append(((name or b"").decode(), value))
    prior, at = _read_sized(data, at)
    if _INT.unpack_from(data, at)[0] == _SAME_AS_PRIOR:
        old, at = prior, at + 4
    else:
        old, at = _read_sized(data, at)
    new, at = _read_sized(data, at)
    headers = tuple(pairs)
    raw = (offset, timestamp, None, None, headers)
    record = (timestamp, headers, topic or None, partition, raw)
    return _LONG.unpack_from(data, at)[0], (prior, old, new), record


def _sized(value: bytes | None) -> bytes:
    return _INT.pack(_NONE) if value is None else _INT.pack(len(value)) + value


def _read_sized(data: bytes, at: int) -> tuple[bytes | None, int]:
    length = _INT.unpack_from(data, at)[0]
    at += 4
    return (None, at) if length < 0 else (data[at : at + length], at + length)


def _in_java_order(keys: dict[bytes, None], capacity: int) -> list[bytes]:
    """Return few keys in the order in which Java's hash set of that capacity iterates."""
    if len(keys) > _ORDERED_MAX:
        return list(keys)
    return sorted(keys, key=lambda key: _spread(_java_hash(key)) & (capacity - 1))


def _java_hash(key: bytes) -> int:
    value = 1
    for byte in key:
        value = 31 * value + (byte if byte < 0x80 else byte - 0x100) & 0xFFFFFFFF
    return value


def _spread(value: int) -> int:
    return value ^ (value >> 16)

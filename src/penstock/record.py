"""Records, their headers and where they come from.

Inside the engine a record is four loose values (key, value, timestamp, headers), its headers a
tuple of pairs that never changes; a `Record` object is made only where a user's processor is
handed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from penstock.errors import StreamsError

__all__ = [
    "Change",
    "ConsumerRecord",
    "FixedKeyRecord",
    "HeaderPairs",
    "Headers",
    "HeadersLike",
    "ProducerRecord",
    "Record",
    "RecordContext",
    "RecordMetadata",
]

K_co = TypeVar("K_co", covariant=True)
V_co = TypeVar("V_co", covariant=True)
K2 = TypeVar("K2")
V2 = TypeVar("V2")

HeaderPairs: TypeAlias = tuple[tuple[str, bytes | None], ...]
"""Headers that do not change, in order.

>>> tuple(Headers([("trace", b"1")]))
(('trace', b'1'),)
"""
HeadersLike: TypeAlias = "Headers | Iterable[tuple[str, bytes | None]]"
"""What is taken as headers: `Headers`, or (key, bytes) pairs.

>>> Record("ann", 5, 0, [("trace", b"1")]) == Record("ann", 5, 0, Headers([("trace", b"1")]))
True
"""


NO_KEY = object()
"""Stands for the key that is not there: no record is in hand, or the task did not give it."""

_TIMESTAMPS_MAX = 1 << 63


def check_sendable(timestamp: object, headers: HeaderPairs) -> None:
    """Refuse a timestamp or headers that Kafka cannot take.

    Raises:
        TypeError: with what was got.
    """
    if (
        not isinstance(timestamp, int)
        or isinstance(timestamp, bool)
        or not -1 <= timestamp < _TIMESTAMPS_MAX
    ):
        msg = f"a record's timestamp must be whole milliseconds in 64 bits; got {timestamp!r}"
        raise TypeError(msg)
    for pair in headers:
        if (
            type(pair) is not tuple
            or len(pair) != 2
            or not isinstance(pair[0], str)
            or not (pair[1] is None or isinstance(pair[1], bytes))
        ):
            msg = f"a header must be a pair of a str key with bytes or None; got {pair!r}"
            raise TypeError(msg)
        try:
            pair[0].encode()
        except UnicodeEncodeError as error:
            msg = f"a header's key must be text that UTF-8 can hold; got {pair[0]!r}"
            raise TypeError(msg) from error


class Headers:
    """The headers of one record: an ordered list of (key, bytes) pairs; keys may repeat. Java:
    Headers.

    >>> headers = Headers([("trace", b"1")]).add("trace", b"2")
    >>> headers.last_header("trace"), len(headers)
    (b'2', 2)
    """

    __slots__ = ("_pairs",)

    def __init__(self, pairs: HeadersLike = ()) -> None:
        self._pairs = list(pairs)

    def add(self, key: str, value: bytes | None) -> Headers:
        """Append a header.

        >>> Headers().add("trace", b"1").add("trace", b"2")
        Headers([('trace', b'1'), ('trace', b'2')])
        """
        if not isinstance(key, str) or not (value is None or isinstance(value, bytes)):
            msg = f"a header must be a str key with bytes or None; got {key!r}: {value!r}"
            raise TypeError(msg)
        self._pairs.append((key, value))
        return self

    def remove(self, key: str) -> Headers:
        """Drop all headers of that key.

        >>> Headers([("trace", b"1"), ("user", b"ann")]).remove("trace")
        Headers([('user', b'ann')])
        """
        self._pairs = [pair for pair in self._pairs if pair[0] != key]
        return self

    def last_header(self, key: str) -> bytes | None:
        """Return the last value of that key, or None.

        >>> Headers([("trace", b"1"), ("trace", b"2")]).last_header("trace")
        b'2'
        """
        return next((value for name, value in reversed(self._pairs) if name == key), None)

    def headers(self, key: str) -> list[bytes | None]:
        """Return all values of that key in order.

        >>> Headers([("trace", b"1"), ("trace", b"2")]).headers("trace")
        [b'1', b'2']
        """
        return [value for name, value in self._pairs if name == key]

    def __iter__(self) -> Iterator[tuple[str, bytes | None]]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Headers) and self._pairs == other._pairs

    def __hash__(self) -> int:
        return hash(tuple(self._pairs))

    def __repr__(self) -> str:
        return f"Headers({self._pairs!r})"


class FixedKeyRecord(Generic[K_co, V_co]):
    """A record whose key must stay as it is; `process_values` is given these. Java:
    FixedKeyRecord.

    In `process` only records that were given, and copies of them, can be forwarded, or new ones
    with the key in hand: no repartitioning follows, and one of another key would go to the wrong
    partition. A timer has no key in hand; one that makes a record must take a key that was given.

    >>> record = FixedKeyRecord("ann", 5, 60_000)
    >>> record.key, record.value, record.timestamp
    ('ann', 5, 60000)
    """

    __slots__ = ("_given_key", "headers", "key", "timestamp", "value")

    def __init__(self, key: K_co, value: V_co, timestamp: int, headers: HeadersLike = ()) -> None:
        if timestamp < 0:
            msg = f"a record's timestamp must not be negative; got {timestamp}"
            raise StreamsError(msg)
        self.key: Final = key
        self.value = value
        self.timestamp = timestamp
        self.headers = Headers(headers)
        # What the task gave, here and in all copies; `forward` compares it with the key.
        self._given_key: object = NO_KEY

    def with_value(self, value: V2) -> FixedKeyRecord[K_co, V2]:
        """Return a copy with another value.

        >>> FixedKeyRecord("ann", 5, 60_000).with_value(6)
        FixedKeyRecord('ann', 6, 60000)
        """
        copy = FixedKeyRecord(self.key, value, self.timestamp, self.headers)
        copy._given_key = given_key_of(self)
        return copy

    def with_timestamp(self, timestamp: int) -> FixedKeyRecord[K_co, V_co]:
        """Return a copy with another timestamp.

        >>> FixedKeyRecord("ann", 5, 60_000).with_timestamp(0)
        FixedKeyRecord('ann', 5, 0)
        """
        copy = FixedKeyRecord(self.key, self.value, timestamp, self.headers)
        copy._given_key = given_key_of(self)
        return copy

    def with_headers(self, headers: HeadersLike) -> FixedKeyRecord[K_co, V_co]:
        """Return a copy with other headers.

        >>> FixedKeyRecord("ann", 5, 60_000).with_headers([("trace", b"1")])
        FixedKeyRecord('ann', 5, 60000, headers=[('trace', b'1')])
        """
        copy = FixedKeyRecord(self.key, self.value, self.timestamp, headers)
        copy._given_key = given_key_of(self)
        return copy

    def _fields(self) -> tuple[object, ...]:
        return (self.key, self.value, self.timestamp, self.headers)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        headers = f", headers={list(self.headers)!r}" if len(self.headers) else ""
        return f"{type(self).__name__}({self.key!r}, {self.value!r}, {self.timestamp}{headers})"


def given_key_of(record: FixedKeyRecord[Any, Any]) -> object:
    """Return the key with which the task gave a record, or NO_KEY."""
    # One that an earlier version pickled, into a store or a changelog, does not have it.
    return getattr(record, "_given_key", NO_KEY)


class Record(FixedKeyRecord[K_co, V_co]):
    """A record as a processor sees and forwards it. Java: Record.

    >>> Record("k", 1, 5).with_value(2)
    Record('k', 2, 5)
    """

    __slots__ = ()

    def with_key(self, key: K2) -> Record[K2, V_co]:
        """Return a copy with another key.

        >>> Record("ann", 5, 60_000).with_key("bob")
        Record('bob', 5, 60000)
        """
        return Record(key, self.value, self.timestamp, self.headers)

    def with_value(self, value: V2) -> Record[K_co, V2]:
        """Return a copy with another value.

        >>> Record("ann", 5, 60_000).with_value(6)
        Record('ann', 6, 60000)
        """
        return Record(self.key, value, self.timestamp, self.headers)

    def with_timestamp(self, timestamp: int) -> Record[K_co, V_co]:
        """Return a copy with another timestamp.

        >>> Record("ann", 5, 60_000).with_timestamp(0)
        Record('ann', 5, 0)
        """
        return Record(self.key, self.value, timestamp, self.headers)

    def with_headers(self, headers: HeadersLike) -> Record[K_co, V_co]:
        """Return a copy with other headers.

        >>> Record("ann", 5, 60_000).with_headers([("trace", b"1")])
        Record('ann', 5, 60000, headers=[('trace', b'1')])
        """
        return Record(self.key, self.value, self.timestamp, headers)


class Change(NamedTuple):
    """What happened to a row of a table: its value now, and the one before if it was asked for;
    None is no row. A processing exception handler sees one where a table's node failed. Java:
    Change.

    >>> Change(new="Oslo", old="Rome")
    Change(new='Oslo', old='Rome')
    """

    new: Any
    old: Any


class RecordMetadata(NamedTuple):
    """Where the record in hand was read; (None, -1, -1) if there is none. Java: RecordMetadata.

    >>> RecordMetadata("orders", partition=0, offset=7).offset
    7
    """

    topic: str | None
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class RecordContext:
    """What a topic extractor may look at besides key and value. Java: RecordContext.

    >>> orders.to(lambda customer, amount, context: f"copy-of-{context.topic}")
    >>> show("copy-of-orders")
    [('ann', 5), ('bob', 2), ('ann', 3)]
    """

    topic: str | None
    partition: int
    offset: int
    timestamp: int
    headers: Headers
    source_raw_key: bytes | None = None
    source_raw_value: bytes | None = None
    """The bytes of the input record in hand; None if there is none, as in a timer, or when a cache
    is flushed.
    """


@dataclass(frozen=True, slots=True)
class ConsumerRecord:
    """A record as it was read from a topic: what timestamp extractors and handlers see. Java:
    ConsumerRecord.

    Extractors see key and value decoded, a deserialization handler sees the bytes.

    >>> from penstock.record import ConsumerRecord
    >>> ConsumerRecord("orders", 0, 7, 60_000, "ann", 5, Headers()).value
    5
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: Any
    value: Any
    headers: Headers


@dataclass(frozen=True, slots=True)
class ProducerRecord:
    """A record about to be written: what production handlers see. Java: ProducerRecord.

    >>> from penstock.record import ProducerRecord
    >>> ProducerRecord("orders", None, 60_000, "ann", 5, Headers()).topic
    'orders'
    """

    topic: str
    partition: int | None
    timestamp: int
    key: Any
    value: Any
    headers: Headers

"""The topics of a test: pipe records in, read records out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar, overload

from penstock._camel_case import ExplainsCamelCase
from penstock._durations import Duration, to_milliseconds
from penstock.errors import SerializationError
from penstock.record import HeaderPairs, Headers, HeadersLike
from penstock.serdes import Serde

K = TypeVar("K")
V = TypeVar("V")

Raw: TypeAlias = tuple[bytes | None, bytes | None, int | None, HeaderPairs]
"""(key, value, timestamp, headers) in bytes; None is the time of sending, of which the driver knows
nothing.
"""

_log = logging.getLogger(__name__)

_NOT_GIVEN: Any = object()


@dataclass(frozen=True)
class TestRecord(Generic[K, V]):
    """A record in a test; without a timestamp it takes the input topic's. Java: TestRecord.

    >>> TestRecord("ann", 5, timestamp=60_000).value
    5
    """

    __test__ = False

    key: K
    value: V
    timestamp: int | None = None
    headers: Headers = field(default_factory=Headers)


class TestInputTopic(ExplainsCamelCase, Generic[K, V]):
    """Pipes records into a topic; got from `driver.create_input_topic`. Java: TestInputTopic.

    >>> orders.to("copies")
    >>> with TopologyTestDriver(builder.build()) as driver:
    ...     driver.create_input_topic("orders", text, number).pipe_input("ann", 5)
    ...     driver.create_output_topic("copies", text, number).read_key_value()
    ('ann', 5)
    """

    __test__ = False

    def __init__(
        self,
        topic: str,
        pipe: Callable[[str, Raw], None],
        serdes: tuple[Serde[K], Serde[V]],
        start_timestamp: int,
        auto_advance: Duration,
    ) -> None:
        self._topic = topic
        self._pipe = pipe
        self._key_serde, self._value_serde = serdes
        self._now_ms = start_timestamp
        self._advance_ms = _forward(auto_advance, "auto_advance")

    @overload
    def pipe_input(
        self, value: V | None, /, *, timestamp: int | None = None, headers: HeadersLike = ()
    ) -> None: ...
    @overload
    def pipe_input(
        self,
        key: K | None,
        value: V | None,
        /,
        timestamp: int | None = None,
        headers: HeadersLike = (),
    ) -> None: ...
    def pipe_input(
        self,
        first: Any,
        second: Any = _NOT_GIVEN,
        /,
        timestamp: int | None = None,
        headers: HeadersLike = (),
    ) -> None:
        """Pipe a record in and process all it causes: `pipe_input(value)` or `pipe_input(key,
        value)`.

        >>> orders.to("copies")
        >>> with TopologyTestDriver(builder.build()) as driver:
        ...     topic = driver.create_input_topic("orders", text, number)
        ...     topic.pipe_input("ann", 5, timestamp=60_000)
        ...     driver.create_output_topic("copies", text, number).read_record().timestamp
        60000
        """
        if isinstance(first, TestRecord):
            msg = f"pipe_input takes a value, or a key and a value; got {first!r}; use pipe_record"
            raise TypeError(msg)
        key, value = (None, first) if second is _NOT_GIVEN else (first, second)
        if timestamp is None:
            timestamp = self._now_ms
            self._now_ms += self._advance_ms
        if not isinstance(timestamp, int):
            hint = (
                "; write int(moment.timestamp() * 1000)" if isinstance(timestamp, datetime) else ""
            )
            msg = f"a timestamp must be whole milliseconds; got {timestamp!r}{hint}"
            raise TypeError(msg)
        pairs = _header_pairs(headers)
        raw_key = self._bytes("key", self._key_serde, key, pairs)
        raw_value = self._bytes("value", self._value_serde, value, pairs)
        self._pipe(self._topic, (raw_key, raw_value, timestamp, pairs))

    def pipe_record(self, record: TestRecord[K, V]) -> None:
        """Pipe in a TestRecord.

        >>> orders.to("copies")
        >>> with TopologyTestDriver(builder.build()) as driver:
        ...     driver.create_input_topic("orders", text, number).pipe_record(TestRecord("ann", 5))
        ...     driver.create_output_topic("copies", text, number).read_value()
        5
        """
        self.pipe_input(record.key, record.value, record.timestamp, record.headers)

    def pipe_record_list(self, records: Iterable[TestRecord[K, V]]) -> None:
        """Pipe in several TestRecords.

        >>> orders.to("copies")
        >>> records = [TestRecord("ann", 5, 0), TestRecord("bob", 2, 60_000)]
        >>> with TopologyTestDriver(builder.build()) as driver:
        ...     driver.create_input_topic("orders", text, number).pipe_record_list(records)
        ...     driver.create_output_topic("copies", text, number).read_values()
        [5, 2]
        """
        for record in records:
            self.pipe_record(record)

    def pipe_key_value_list(
        self,
        pairs: Iterable[tuple[K, V]],
        start_timestamp: int | None = None,
        advance: Duration = 0,
    ) -> None:
        """Pipe in (key, value) pairs, at `start_timestamp` and on by `advance` each if given.

        >>> orders.to("copies")
        >>> with TopologyTestDriver(builder.build()) as driver:
        ...     topic = driver.create_input_topic("orders", text, number)
        ...     topic.pipe_key_value_list([("ann", 5), ("bob", 2)], 0, advance=minute)
        ...     copies = driver.create_output_topic("copies", text, number)
        ...     [copy.timestamp for copy in copies.read_records()]
        [0, 60000]
        """
        timestamp, advance_ms = start_timestamp, to_milliseconds(advance, "advance")
        if timestamp is None and advance_ms:
            msg = (
                f"advance={advance!r} must be given with a start_timestamp, from which it goes on; "
                "without one records take the topic's time: create_input_topic(auto_advance=...)"
            )
            raise ValueError(msg)
        for key, value in pairs:
            self.pipe_input(key, value, timestamp)
            timestamp = None if timestamp is None else timestamp + advance_ms

    def pipe_value_list(
        self, values: Iterable[V], start_timestamp: int | None = None, advance: Duration = 0
    ) -> None:
        """Pipe in values without a key.

        >>> orders.to("copies")
        >>> with TopologyTestDriver(builder.build()) as driver:
        ...     driver.create_input_topic("orders", text, number).pipe_value_list([5, 2])
        ...     driver.create_output_topic("copies", text, number).read_key_values()
        [(None, 5), (None, 2)]
        """
        self.pipe_key_value_list(((None, value) for value in values), start_timestamp, advance)  # type: ignore[misc]

    def advance_time(self, duration: Duration) -> None:
        """Move the topic's clock, from which records without a timestamp take theirs.

        >>> orders.to("copies")
        >>> with TopologyTestDriver(builder.build()) as driver:
        ...     topic = driver.create_input_topic("orders", text, number, start_timestamp=0)
        ...     topic.advance_time(minute)
        ...     topic.pipe_input("ann", 5)
        ...     driver.create_output_topic("copies", text, number).read_record().timestamp
        60000
        """
        self._now_ms += _forward(duration, "advance")

    def _bytes(
        self, part: str, serde: Serde[Any], value: object, headers: HeaderPairs
    ) -> bytes | None:
        try:
            return serde.serialize(self._topic, value, headers)
        except TypeError as error:
            msg = (
                f"the {part} of a record for topic {self._topic!r} must fit {serde!r}; got "
                f"{type(value).__name__} {value!r}"
            )
            raise TypeError(msg) from error


class TestOutputTopic(ExplainsCamelCase, Generic[K, V]):
    """Reads what was written to a topic; got from `driver.create_output_topic`. Java:
    TestOutputTopic.

    >>> orders.to("copies")
    >>> with driver_of(builder.build()) as driver:
    ...     driver.create_output_topic("copies", text, number).read_key_values()
    [('ann', 5), ('bob', 2), ('ann', 3)]
    """

    __test__ = False

    def __init__(
        self,
        topic: str,
        written: Mapping[str, list[Raw]],
        serdes: tuple[Serde[K], Serde[V]],
        named: Collection[str] = (),
    ) -> None:
        self._topic = topic
        self._written = written
        # What the topology writes to by name; read with nothing in it, another may be misspelt.
        self._named = named
        self._key_serde, self._value_serde = serdes

    def read_record(self) -> TestRecord[K | None, V | None]:
        """Take the next record; LookupError if there is none.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).read_record()
        TestRecord(key='ann', value=5, timestamp=0, headers=Headers([]))
        """
        queue = self._queue()
        if not queue:
            raise LookupError(self._nothing_there())
        key, value, timestamp, headers = queue.pop(0)
        return TestRecord(
            self._read("key", self._key_serde, key, headers),
            self._read("value", self._value_serde, value, headers),
            timestamp,
            Headers(headers),
        )

    def read_value(self) -> V | None:
        """Take the next record's value.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).read_value()
        5
        """
        return self.read_record().value

    def read_key_value(self) -> tuple[K | None, V | None]:
        """Take the next record's key and value.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).read_key_value()
        ('ann', 5)
        """
        record = self.read_record()
        return record.key, record.value

    def read_records(self) -> list[TestRecord[K | None, V | None]]:
        """Take all records.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     copies = driver.create_output_topic("copies", text, number)
        ...     [record.timestamp for record in copies.read_records()]
        [0, 60000, 240000]
        """
        return [self.read_record() for _ in range(self.queue_size())]

    def read_values(self) -> list[V | None]:
        """Take all values.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).read_values()
        [5, 2, 3]
        """
        return [record.value for record in self.read_records()]

    def read_key_values(self) -> list[tuple[K | None, V | None]]:
        """Take all (key, value) pairs.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).read_key_values()
        [('ann', 5), ('bob', 2), ('ann', 3)]
        """
        return [(record.key, record.value) for record in self.read_records()]

    def read_key_values_to_dict(self) -> dict[K, V | None]:
        """Take all records as a table: the last value of each key; a null key is an error.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).read_key_values_to_dict()
        {'ann': 3, 'bob': 2}
        """
        table: dict[K, V | None] = {}
        for record in self.read_records():
            if record.key is None:
                msg = (
                    f"a record of topic {self._topic!r} has no key and cannot go into a table; "
                    f"got {record!r}"
                )
                raise ValueError(msg)
            table[record.key] = record.value
        return table

    def is_empty(self) -> bool:
        """Yes if there is nothing to read.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).is_empty()
        False
        """
        return not self._queue()

    def queue_size(self) -> int:
        """Return how many records there are to read.

        >>> orders.to("copies")
        >>> with driver_of(builder.build()) as driver:
        ...     driver.create_output_topic("copies", text, number).queue_size()
        3
        """
        return len(self._queue())

    def _queue(self) -> list[Raw]:
        """Return what is there to read. As Java does, warn of a topic that nothing names."""
        queue = self._written.get(self._topic)
        if queue is None and self._topic not in self._named:
            _log.warning(
                "the topology writes to no topic %r by name, and nothing has been written to it; "
                "is the name right? it writes to: %s",
                self._topic,
                ", ".join(map(repr, sorted(self._named))) or "none",
            )
        return [] if queue is None else queue

    def _nothing_there(self) -> str:
        if self._topic in self._written:
            return f"topic {self._topic!r} is empty: all of its records have been read"
        written = ", ".join(map(repr, sorted(self._written))) or "none"
        return f"topic {self._topic!r} is not written to yet; topics written to: {written}"

    def _read(self, part: str, serde: Serde[Any], data: bytes | None, headers: HeaderPairs) -> Any:
        try:
            return serde.deserialize(self._topic, data, headers)
        except SerializationError as error:
            msg = (
                f"the {part} of a record of topic {self._topic!r} cannot be read with {serde!r}: "
                f"{error}"
            )
            raise SerializationError(msg) from error


def _header_pairs(headers: HeadersLike) -> HeaderPairs:
    checked = Headers()
    try:
        for key, value in headers:
            checked.add(key, value)
    except (TypeError, ValueError):
        msg = f"headers must be (str, bytes) pairs; got {headers!r}"
        raise TypeError(msg) from None
    return tuple(checked)


def _forward(duration: Duration, what: str) -> int:
    milliseconds = to_milliseconds(duration, what)
    if milliseconds < 0:
        msg = f"{what} must not be negative; got {duration!r}"
        raise ValueError(msg)
    return milliseconds

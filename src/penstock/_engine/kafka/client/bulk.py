"""Messages from and to the Kafka client, many at a time.

Twice: in Python, which works everywhere, and in C (`_bulk.c`), which is there if a C compiler was
when Penstock was installed. Both do the same, and the same tests are run on both; with C a message
that is written takes a third of the time, one that is read half of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer

from penstock._engine.runtime.records import Output, RawRecord

try:
    from penstock._engine.fast import _bulk
except ImportError:
    _bulk = None  # type: ignore[assignment]

Portion: TypeAlias = tuple[str, int, list[RawRecord], tuple[int, KafkaError] | None]
"""(topic, partition, records, and what came after them if it was none: its offset and what it
was).
"""


class Unwritten(NamedTuple):
    """A message that was not written, and why."""

    topic: str
    partition: int
    """-1 if it had none yet."""
    key: bytes | None
    value: bytes | None
    error: KafkaError


TAKEN = 0
NO_ROOM = int(KafkaError._QUEUE_FULL)

# When a broker goes away all of the queue fails for the same reason.
_FAILURES_KEPT = 1000

_ANY_PARTITION = -1
_NOW = 0
_PLUGINS = "plugin.library.paths"


class Reader(Protocol):
    """Reads what a consumer has been given to read."""

    consumer: Consumer

    def read(self, wait_seconds: float, limit: int) -> list[Portion]:
        """Give up to `limit` messages that have come, waiting at most so long for the first."""


class Writer(Protocol):
    """Writes what it is given, and remembers what could not be written."""

    producer: Producer

    def write(self, outputs: list[Output], first: int) -> tuple[int, int]:
        """Hand over outputs from the `first` on; give the number of the one that was not taken and
        the code of the error, or the number of outputs and `TAKEN`.
        """

    def failures(self) -> list[Unwritten]:
        """Return, once, the outputs that were taken and not written, the first thousand."""


def open_reader(settings: Mapping[str, Any]) -> Reader:
    """Make a consumer that never subscribes, and what reads from it."""
    if _bulk is not None and not _calls_back(settings):
        return CompiledReader(settings)
    return PlainReader(settings)


def open_writer(settings: Mapping[str, Any]) -> Writer:
    """Make a producer, and what writes to it."""
    return PlainWriter(settings) if _bulk is None else CompiledWriter(settings)


def is_compiled() -> bool:
    """Tell whether there is the form in C."""
    return _bulk is not None


class PlainReader:
    """Reads in Python."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.consumer = Consumer(dict(settings))

    def read(self, wait_seconds: float, limit: int) -> list[Portion]:
        first = self.consumer.poll(wait_seconds)
        if first is None:
            return []
        return _portions([first, *self.consumer.consume(limit - 1, 0)])


class CompiledReader:
    """Reads in C."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._heed = settings.get("error_cb", _ignore)
        self.consumer = Consumer(_with_plugin(settings))
        self._client = _bulk.client()
        _bulk.begin_reading(self._client)
        # The faults of its first moment are in the queue of messages already.
        self.consumer.poll(0)

    def read(self, wait_seconds: float, limit: int) -> list[Portion]:
        return _bulk.read(self._client, int(wait_seconds * 1000), limit, self._heed)


class PlainWriter:
    """Writes in Python."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        failures: list[Unwritten] = []

        # Only failures are reported (delivery.report.only.error). It does not know the writer: in a
        # circle, nobody would let go of the producer and its threads.
        def heard(error: KafkaError | None, message: Any) -> None:
            if error is not None and len(failures) < _FAILURES_KEPT:
                place = (message.topic(), _number(message.partition()))
                failures.append(Unwritten(*place, message.key(), message.value(), error))

        self._failures = failures
        self.producer = Producer({**settings, "on_delivery": heard})

    def write(self, outputs: list[Output], first: int) -> tuple[int, int]:
        produce = self.producer.produce
        at = first
        try:
            for topic, partition, key, value, timestamp, headers in outputs[first:]:
                place = _ANY_PARTITION if partition is None else partition
                pairs = list(headers) if headers else None
                # librdkafka takes 0 for "now"; 1 ms after the epoch is nearer to the truth.
                time = _NOW if timestamp is None else timestamp or 1
                produce(topic, value, key, place, None, None, time, pairs)  # type: ignore[arg-type]
                at += 1
        except BufferError:
            return at, NO_ROOM
        except KafkaException as error:
            return at, error.args[0].code()
        return at, TAKEN

    def failures(self) -> list[Unwritten]:
        told = self._failures.copy()
        self._failures.clear()
        return told


class CompiledWriter:
    """Writes in C."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.producer = Producer(_with_plugin(settings))
        self._client = _bulk.client()

    def write(self, outputs: list[Output], first: int) -> tuple[int, int]:
        return _bulk.write(self._client, outputs, first)

    def failures(self) -> list[Unwritten]:
        return [Unwritten(*failure) for failure in _bulk.failures(self._client)]


def _portions(messages: Iterable[Message]) -> list[Portion]:
    """Sort messages; the client hands them over in stretches of one partition."""
    portions: list[Portion] = []
    topic: str | None = None
    number: int | None = None
    records: list[Any] | None = None
    for message in messages:
        error = message.error()
        if error is not None:
            place = (message.topic() or "", _number(message.partition()))
            portions.append((*place, [], (message.offset() or 0, error)))
            records = None
            continue
        if records is None or message.partition() != number or message.topic() != topic:
            topic, number, records = message.topic(), message.partition(), []
            portions.append((topic or "", _number(number), records, None))
        headers = message.headers()
        records.append(
            (
                message.offset(),
                message.timestamp()[1],
                message.key(),
                message.value(),
                tuple(headers) if headers else (),
            )
        )
    return portions


def _number(partition: int | None) -> int:
    return _ANY_PARTITION if partition is None else partition


def _calls_back(settings: Mapping[str, Any]) -> bool:
    """Tell whether the client must call functions of the user or its own while messages are read:
    to ask for a token, to tell what it logs.
    """
    mechanism = str(settings.get("sasl.mechanism", settings.get("sasl.mechanisms", "")))
    return mechanism.upper() == "OAUTHBEARER" or any(
        callable(value) for key, value in settings.items() if key != "error_cb"
    )


def _with_plugin(settings: Mapping[str, Any]) -> dict[str, Any]:
    plugins = [paths for paths in (settings.get(_PLUGINS), _bulk.__file__) if paths]
    return {**settings, _PLUGINS: ";".join(plugins)}


def _ignore(_error: KafkaError) -> None:
    pass

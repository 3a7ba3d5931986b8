"""Messages from and to the Kafka client, many at a time.

In Python and in C (`fast/bulk.c`): the same tests run on both. With C a message that is written
takes a third of the time, one that is read half of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, cimpl

from penstock._engine.fast.choice import compiled
from penstock._engine.runtime.records import Output, RawRecord

ClientError: TypeAlias = KafkaError
"""An error of the Kafka client, for the signatures of the compiled form, which imports no client.
"""
Portion: TypeAlias = tuple[str, int, list[RawRecord], tuple[int, ClientError] | None]
"""(topic, partition, records, and the error that came after them with its offset, if one did)."""


class Unwritten(NamedTuple):
    """A message that was not written, and why."""

    topic: str
    partition: int
    """-1 if none was chosen yet."""
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

# C calls the librdkafka that confluent-kafka has loaded; the reason if it cannot.
_refusal = None if compiled is None else compiled.connect_librdkafka(cimpl.__file__, KafkaError)
if TYPE_CHECKING:
    _in_c = compiled
else:
    _in_c = compiled if _refusal is None else None


class Reader(Protocol):
    """Reads the partitions that are assigned to a consumer."""

    consumer: Consumer

    def read(self, wait_seconds: float, limit: int) -> list[Portion]:
        """Return up to `limit` messages, after at most `wait_seconds` for the first."""

    can_wake: ClassVar[bool]
    """Whether another thread can end a wait in `read`."""

    def wake(self) -> None:
        """End the wait of another thread in `read`, or of its next one, if this form can. The
        consumer must not be closed meanwhile.
        """


class Writer(Protocol):
    """Writes outputs, and remembers those that could not be written."""

    producer: Producer

    def write(self, outputs: list[Output], first: int) -> tuple[int, int]:
        """Hand over outputs from the `first` on; return the index of the one that was not taken and
        the code of the error, or the number of outputs and `TAKEN`.
        """

    def failures(self) -> list[Unwritten]:
        """Return, once, the outputs that were taken and not written, the first thousand."""


def open_reader(settings: Mapping[str, Any]) -> Reader:
    """Return a reader and its consumer, which never subscribes."""
    if _in_c is not None and not _calls_back(settings):
        return CompiledReader(settings)
    return PlainReader(settings)


def open_writer(settings: Mapping[str, Any]) -> Writer:
    """Return a writer and its producer."""
    return PlainWriter(settings) if _in_c is None else CompiledWriter(settings)


def why_not_in_c() -> str | None:
    """Return why the compiled form cannot call librdkafka, None if it can or is not there."""
    return _refusal


class PlainReader:
    """Reads in Python."""

    can_wake: ClassVar[bool] = False

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.consumer = Consumer(dict(settings))

    def read(self, wait_seconds: float, limit: int) -> list[Portion]:
        first = self.consumer.poll(wait_seconds)
        if first is None:
            return []
        return _portions([first, *self.consumer.consume(limit - 1, 0)])

    def wake(self) -> None:
        pass


class CompiledReader:
    """Reads in C."""

    can_wake: ClassVar[bool] = True

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._heed = settings.get("error_cb", _ignore)
        self.consumer = Consumer(_with_plugin(settings))
        self._client = _in_c.newest_client()
        _in_c.begin_reading(self._client)
        # Faults of the first moment are in the queue of messages already.
        self.consumer.poll(0)

    def read(self, wait_seconds: float, limit: int) -> list[Portion]:
        return _in_c.read_messages(self._client, int(wait_seconds * 1000), limit, self._heed)

    def wake(self) -> None:
        _in_c.wake_reader(self._client)


class PlainWriter:
    """Writes in Python."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        failures: list[Unwritten] = []

        # Only failures are reported (delivery.report.only.error). A reference to the writer would
        # be a cycle, which keeps the producer and its threads alive.
        def on_delivery(error: KafkaError | None, message: Any) -> None:
            if error is not None and len(failures) < _FAILURES_KEPT:
                place = (message.topic(), _number(message.partition()))
                failures.append(Unwritten(*place, message.key(), message.value(), error))

        self._failures = failures
        self.producer = Producer({**settings, "on_delivery": on_delivery})

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
        failures = self._failures.copy()
        self._failures.clear()
        return failures


class CompiledWriter:
    """Writes in C."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.producer = Producer(_with_plugin(settings))
        self._client = _in_c.newest_client()

    def write(self, outputs: list[Output], first: int) -> tuple[int, int]:
        return _in_c.write_messages(self._client, outputs, first)

    def failures(self) -> list[Unwritten]:
        return [Unwritten(*failure) for failure in _in_c.failed_messages(self._client)]


def _portions(messages: Iterable[Message]) -> list[Portion]:
    """Return messages by partition; the client hands over several of one partition in a row."""
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
    """Yes if the client calls functions of the user or its own while messages are read: to ask for
    a token, to log.
    """
    mechanism = str(settings.get("sasl.mechanism", settings.get("sasl.mechanisms", "")))
    return mechanism.upper() == "OAUTHBEARER" or any(
        callable(value) for key, value in settings.items() if key != "error_cb"
    )


def _with_plugin(settings: Mapping[str, Any]) -> dict[str, Any]:
    plugins = [paths for paths in (settings.get(_PLUGINS), _in_c.__file__) if paths]
    return {**settings, _PLUGINS: ";".join(plugins)}


def _ignore(_error: KafkaError) -> None:
    pass

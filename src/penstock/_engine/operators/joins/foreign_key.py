"""Foreign-key joins of tables: subscriptions of left rows to right rows, and the answers. Java: the
package foreignkeyjoin; `foreign_key_nodes.py` draws how the five operators work together.

Subscriptions and answers travel as bytes: what is only passed on is never decoded. Left keys too
stay bytes on the right side, unless an operator needs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from penstock._engine.operators.getters import value_getter
from penstock._engine.operators.joins import foreign_key_wire as wire
from penstock._engine.operators.joins.foreign_key_hash import hash_of
from penstock._engine.operators.joins.foreign_key_wire import Instruction
from penstock._engine.operators.site import Process, Site
from penstock._engine.state.codec import TIMESTAMP_BYTES, unpack_timestamp, unreadable
from penstock._engine.state.header_codec import ValueBehindHeaders
from penstock._engine.state.views.key_value import after_prefix
from penstock._engine.topology.nodes.foreign_key_nodes import (
    AnswerSubscribers,
    AnswerSubscription,
    KeepSubscriptions,
    Reading,
    ResolveAnswer,
    Subscribe,
)
from penstock._engine.topology.nodes.stream_nodes import AnySerde
from penstock._engine.topology.nodes.views import StoredRows
from penstock.record import Change, HeaderPairs
from penstock.serdes import Serde
from penstock.serdes.foreign_key import keys_stay_bytes

_NO_FOREIGN_KEY = "its foreign key is None"
_NOT_THE_LATEST = "its table has a later row of that key"

_Encode: TypeAlias = Callable[[Any, HeaderPairs], Any]
"""`encode(value, headers)` returns bytes; values are never None."""
_RawRow: TypeAlias = tuple[bytes, int, Callable[[], Any]]
"""(bytes of the value, timestamp, a function that returns the value)."""


def subscribe(operation: Subscribe, site: Site) -> Process:
    """Send a subscription for each left row that has a foreign key, and cancel its old one."""
    extract = _extractor(operation)
    prefix = _topic_prefix(operation.topic, site)
    encode_key = _encoder(_key_serde(operation.key_serde, site), f"{prefix}-pk")
    encode_foreign = _encoder(_key_serde(operation.foreign_key_serde, site), f"{prefix}-fk")
    encode_value = _encoder(_value_serde(operation.value_serde, site), f"{prefix}-vh")
    forward, failed, drop, position = site.forward, site.failed, site.drop, site.position
    keeps_left, latest_only = operation.keeps_left, operation.latest_only

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if latest_only and not change[2]:
                drop(_NOT_THE_LATEST, "outdated")
                return
            new, old = change[0], change[1]
            if new is None and old is None:
                return
            before = None if old is None else extract(key, old)
            wanted = None if new is None else extract(key, new)
            if wanted is None and new is not None and not keeps_left:
                drop(_NO_FOREIGN_KEY)
            changed = (
                before is not None
                and wanted is not None
                and encode_foreign(before, headers) != encode_foreign(wanted, headers)
            )
            instructions = _instructions(before, wanted, changed=changed, keeps_left=keeps_left)
            if not instructions:
                return
            hashed = None if new is None else hash_of(encode_value(new, headers))
            raw_key, partition = encode_key(key, headers), position.partition
            for foreign_key, instruction in instructions:
                value = wire.subscription(instruction, hashed, raw_key, partition)
                forward(foreign_key, value, timestamp, headers)
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    return process


def keep_subscriptions(operation: KeepSubscriptions, site: Site) -> Process:
    """Keep subscriptions under the foreign key and the left key; forward each as it was read,
    together with its foreign key.
    """
    prefix = _topic_prefix(operation.topic, site)
    encode_foreign = _encoder(_key_serde(operation.foreign_key_serde, site), f"{prefix}-fk")
    put = site.table(operation.store.name).put
    forward, failed, drop = site.forward, site.failed, site.drop
    read = wire.read_subscription
    subscribers_of = wire.subscribers_of

    def process(foreign_key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            subscription = read(value)
            instruction = subscription[0]
            if foreign_key is None:
                if instruction != Instruction.ANSWER:
                    drop(_NO_FOREIGN_KEY)
                    return
            else:
                row_key = subscribers_of(encode_foreign(foreign_key, headers)) + subscription[2]
                deletes = instruction <= Instruction.DELETE_AND_ANSWER
                put(row_key, None if deletes else value, timestamp, timestamp, headers)
            forward(foreign_key, subscription, timestamp, headers)
        except Exception as error:
            failed(error, foreign_key, value, timestamp, headers)

    return process


def answer_subscription(operation: AnswerSubscription, site: Site) -> Process:
    """Answer each subscription at once, if its instruction asks for an answer."""
    answer_topic = f"{site.context.application_id}-{operation.answer_topic}"
    get = _raw_rows(operation.right, answer_topic, site)
    left_key = _left_keys(operation, site)
    forward, failed, answer = site.forward, site.failed, wire.answer

    def process(foreign_key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            instruction, hashed, raw_key, partition = value
            if instruction == Instruction.DELETE:
                return
            row = None if foreign_key is None else get(foreign_key, headers)
            raw_value = None
            if row is not None:
                raw_value, later, _ = row
                if later > timestamp:
                    timestamp = later
            elif instruction == Instruction.ANSWER_IF_FOUND:
                return
            if instruction == Instruction.DELETE_AND_ANSWER:
                raw_value = None
            key = left_key(raw_key, headers)
            forward(key, (answer(hashed, raw_value), partition), timestamp, headers)
        except Exception as error:
            failed(error, foreign_key, value, timestamp, headers)

    return process


def answer_subscribers(operation: AnswerSubscribers, site: Site) -> Process:
    """Answer all subscribers of a right row that has changed, in the order of their bytes."""
    prefix = _topic_prefix(operation.topic, site)
    encode_foreign = _encoder(_key_serde(operation.foreign_key_serde, site), f"{prefix}-fk")
    answer_topic = f"{site.context.application_id}-{operation.answer_topic}"
    encode_value = _encoder(_value_serde(operation.value_serde, site), answer_topic)
    left_key, name = _left_keys(operation, site), operation.store.name
    scan = site.table(name).scan
    log = f"{site.context.application_id}-{name}-changelog"
    subscription_of = f"a subscription of state store {name!r} (changelog {log!r})"
    forward, failed, drop = site.forward, site.failed, site.drop
    latest_only, read, answer = operation.latest_only, wire.read_subscription, wire.answer

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            if latest_only and not change[2]:
                drop(_NOT_THE_LATEST, "outdated")
                return
            prefix = wire.subscribers_of(encode_foreign(key, headers))
            raw_value: bytes | None = None
            is_encoded = change[0] is None
            for _, row in scan(prefix, after_prefix(prefix), reverse=False):
                if not is_encoded:
                    raw_value, is_encoded = encode_value(change[0], headers), True
                try:
                    _, hashed, raw_key, partition = read(row[TIMESTAMP_BYTES:])
                    subscriber = left_key(raw_key, headers)
                except Exception as error:
                    raise unreadable(subscription_of, error) from error
                value = (answer(hashed, raw_value), partition)
                forward(subscriber, value, timestamp, headers)
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    return process


def resolve_answer(operation: ResolveAnswer, site: Site) -> Process:
    """Join left rows with their answers; an answer to an older version of the row is dropped."""
    get = _raw_rows(operation.left, f"{_topic_prefix(operation.topic, site)}-vh", site)
    answer_topic = f"{site.context.application_id}-{operation.answer_topic}"
    decode_right = _decoder(_value_serde(operation.right_value_serde, site), answer_topic)
    joiner, keeps_left = operation.joiner, operation.keeps_left
    forward, failed, count_dropped = site.forward, site.failed, site.count_dropped
    read = wire.read_answer

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            asked, raw_right = read(value)
            row = get(key, headers)
            if asked != (None if row is None else hash_of(row[0])):
                count_dropped()  # the row has changed since: another answer is on its way
                return
            if raw_right is None and (row is None or not keeps_left):
                forward(key, None, timestamp, headers)
                return
            left = None if row is None else row[2]()
            right = None if raw_right is None else decode_right(raw_right, headers)
            forward(key, joiner(left, right), timestamp, headers)
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process


def _instructions(
    before: Any, wanted: Any, *, changed: bool, keeps_left: bool
) -> tuple[tuple[Any, Instruction], ...]:
    """Return the instructions for the right side: cancel the foreign key `before`, subscribe to
    `wanted`; None if there is none. `changed`: both are there and differ.
    """
    if keeps_left:
        # Also without a foreign key the row needs an answer: it is joined with no right row.
        ask = (wanted, Instruction.ANSWER)
        leaves = changed or (before is not None and wanted is None)
        return ((before, Instruction.DELETE), ask) if leaves else (ask,)
    if wanted is None:
        return () if before is None else ((before, Instruction.DELETE_AND_ANSWER),)
    if changed:
        return (before, Instruction.DELETE), (wanted, Instruction.ANSWER)
    return ((wanted, Instruction.ANSWER_IF_FOUND),)


def _raw_rows(
    reading: Reading, topic: str, site: Site
) -> Callable[[Any, HeaderPairs], _RawRow | None]:
    """Return the function that looks up a row and the bytes of its value, as the serde writes them
    for `topic`. Where the store has these bytes, the value is decoded only when needed.
    """
    serde, view = _value_serde(reading.value_serde, site), reading.view
    state = None
    if reading.as_stored and _is_plain(serde) and isinstance(view, StoredRows):
        state = site.table(view.store)
    if state is not None and not isinstance(state.codec.value_serde, ValueBehindHeaders):
        encode_key, read, decode = state.encode_key, state.read, state.decode_value

        def stored(key: Any, headers: HeaderPairs) -> _RawRow | None:
            row = read(encode_key(key))
            if row is None:
                return None
            data = row[TIMESTAMP_BYTES:]
            return data, unpack_timestamp(row)[0], lambda: decode(data)

        return stored
    get, encode = value_getter(view, site), _encoder(serde, topic)

    def computed(key: Any, headers: HeaderPairs) -> _RawRow | None:
        row = get(key)
        if row is None:
            return None
        return encode(row[0], headers), row[1], lambda: row[0]

    return computed


def _left_keys(
    operation: AnswerSubscription | AnswerSubscribers, site: Site
) -> Callable[[bytes, HeaderPairs], Any]:
    """Return the function that makes the key of an answer from the bytes of the left key."""
    serde = _key_serde(operation.key_serde, site)
    if keys_stay_bytes(serde) and not operation.decodes_keys:
        return lambda raw_key, headers: raw_key
    return _decoder(serde, f"{_topic_prefix(operation.topic, site)}-pk")


def _extractor(operation: Subscribe) -> Callable[[Any, Any], Any]:
    extractor = operation.extractor
    return extractor if operation.with_key else lambda key, value: extractor(value)


def _topic_prefix(topic: str, site: Site) -> str:
    """Return the subscription topic's name on the broker, a prefix of the topics serdes get."""
    return f"{site.context.application_id}-{topic}"


def _key_serde(own: AnySerde | None, site: Site) -> AnySerde:
    return site.config.key_serde(own, f"processor {site.name!r}")


def _value_serde(own: AnySerde | None, site: Site) -> AnySerde:
    return site.config.value_serde(own, f"processor {site.name!r}")


def _is_plain(serde: AnySerde) -> bool:
    """Yes if a serde writes the same bytes whatever the topic and the headers."""
    return type(serde).serialize is Serde.serialize


def _encoder(serde: AnySerde, topic: str) -> _Encode:
    if _is_plain(serde):
        encode = serde.encode
        return lambda value, headers: encode(value)
    serialize = serde.serialize
    return lambda value, headers: serialize(topic, value, headers)


def _decoder(serde: AnySerde, topic: str) -> Callable[[bytes, HeaderPairs], Any]:
    if type(serde).deserialize is Serde.deserialize:
        decode = serde.decode
        return lambda data, headers: decode(data)
    deserialize = serde.deserialize
    return lambda data, headers: deserialize(topic, data, headers)

"""The bytes of a foreign-key join: subscriptions, answers, and the keys of the subscription store.

```
subscription   version, instruction, [hash], bytes of the left key, partition of the left row
answer         version, [hash], bytes of the right value if there is one
store's key    length of the foreign key, bytes of the foreign key, bytes of the left key
```

The version has its high bit set where the hash is left out. Java: SubscriptionWrapperSerde,
SubscriptionResponseWrapperSerde and CombinedKeySchema.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import NoReturn, TypeAlias

from penstock._engine.operators.joins.foreign_key_hash import HASH_BYTES
from penstock.errors import SerializationError

Subscription: TypeAlias = tuple[int, bytes | None, bytes, int | None]
"""(instruction, hash, bytes of the left key, partition of the left row if the version has it)."""


class Instruction(IntEnum):
    """What to do with a subscription."""

    DELETE = 0
    """Delete it."""
    DELETE_AND_ANSWER = 1
    """Delete it, and answer that there is no right row."""
    ANSWER = 2
    """Keep it, and answer whether there is a right row or not."""
    ANSWER_IF_FOUND = 3
    """Keep it, and answer if there is a right row."""


_SUBSCRIPTION_VERSION = 1
_ANSWER_VERSION = 0
_NO_HASH = 0x80
_VERSION = 0x7F

_pack_int = Struct(">i").pack
_unpack_int = Struct(">i").unpack
_INT_BYTES = 4
_WITH_HASH = {
    instruction: bytes([_SUBSCRIPTION_VERSION, instruction]) for instruction in Instruction
}
_WITHOUT_HASH = {
    instruction: bytes([_SUBSCRIPTION_VERSION | _NO_HASH, instruction])
    for instruction in Instruction
}
_ANSWER_WITH_HASH = bytes([_ANSWER_VERSION])
_ANSWER_WITHOUT_HASH = bytes([_ANSWER_VERSION | _NO_HASH])


def subscription(
    instruction: Instruction, hashed: bytes | None, raw_key: bytes, partition: int
) -> bytes:
    """Encode a subscription of the left row of `raw_key`; the hash is that of its value, None if
    the row is deleted.
    """
    if hashed is None:
        return _WITHOUT_HASH[instruction] + raw_key + _pack_int(partition)
    return _WITH_HASH[instruction] + hashed + raw_key + _pack_int(partition)


def read_subscription(data: bytes) -> Subscription:
    """Decode a subscription, also of the version before, which has no partition."""
    version = data[0] & _VERSION
    if version > _SUBSCRIPTION_VERSION:
        _refuse("a subscription", version, _SUBSCRIPTION_VERSION)
    begin = 2
    hashed = None
    if not data[0] & _NO_HASH:
        begin += HASH_BYTES
        hashed = data[2:begin]
    if version == 0:
        return data[1], hashed, data[begin:], None
    end = len(data) - _INT_BYTES
    return data[1], hashed, data[begin:end], _unpack_int(data[end:])[0]


def answer(hashed: bytes | None, raw_value: bytes | None) -> bytes:
    """Encode an answer to the left row of that hash: the right value, None if there is none."""
    head = _ANSWER_WITHOUT_HASH if hashed is None else _ANSWER_WITH_HASH + hashed
    return head if raw_value is None else head + raw_value


def read_answer(data: bytes) -> tuple[bytes | None, bytes | None]:
    """Decode the hash and the right value; a value of no bytes becomes None, as in Java."""
    version = data[0] & _VERSION
    if version > _ANSWER_VERSION:
        _refuse("an answer", version, _ANSWER_VERSION)
    if data[0] & _NO_HASH:
        return None, data[1:] or None
    end = 1 + HASH_BYTES
    return data[1:end], data[end:] or None


def subscribers_of(raw_foreign_key: bytes) -> bytes:
    """Return the prefix of the store keys of all subscriptions to a right row."""
    return _pack_int(len(raw_foreign_key)) + raw_foreign_key


def _refuse(what: str, version: int, known: int) -> NoReturn:
    msg = (
        f"{what} of a foreign-key join has version {version}, and {known} is the last one known: "
        "a newer program wrote it; run that one, or start with a new 'application.id'"
    )
    raise SerializationError(msg)

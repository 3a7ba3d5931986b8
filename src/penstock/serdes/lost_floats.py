"""Floats that JSON cannot hold: msgspec writes NaN and the infinities as null.

What is read back would be None, or could not be read: a total that became infinite would begin anew
at the next record. The bytes are searched for `null` first, in C (`fast/lost_floats.c`), so
documents without it cost next to nothing; those with it are packed once more, in C, and only a
suspicion has Python look closely.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any, TypeVar

import msgspec

from penstock._engine.fast.choice import compiled

T = TypeVar("T")

_pack = msgspec.msgpack.Encoder().encode
# A float of MessagePack whose exponent has all bits; other data may look so, too.
_NOT_FINITE = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")


def plainly_guarded(
    encode: Callable[[T], bytes], look: Callable[[T], None]
) -> Callable[[T], bytes]:
    """Return `encode`, but `look` is called with values whose bytes have `null` in them. In C it is
    not called with plain values that have no such float.
    """

    def encode_and_look(value: T) -> bytes:
        data = encode(value)
        if data.find(b"null") >= 0:  # `in` would try to take it for a number first
            look(value)
        return data

    return encode_and_look


guarded = plainly_guarded if compiled is None else compiled.guarded


def refuse_lost_floats(value: Any) -> None:
    """Refuse a value of which a float has been written as null.

    Raises:
        ValueError: it says which, and where it is.
    """
    try:
        if _NOT_FINITE.search(_pack(value)) is None:
            return
    except (OverflowError, TypeError, ValueError):
        pass  # MessagePack holds less than JSON: no int of more than 64 bits
    refuse_in_plain(msgspec.to_builtins(value))


def refuse_in_plain(value: Any) -> None:
    """Refuse a value of dicts, lists and plain values that has such a float.

    Raises:
        ValueError: it says which, and where it is.
    """
    for place, number in _floats("$", value):
        if not isfinite(number):
            msg = (
                f"JSON has no number for {number!r} at {place}; it would be read back as null: "
                "write None or a text, or leave it out"
            )
            raise ValueError(msg)


def _floats(place: str, value: Any) -> Iterable[tuple[str, float]]:
    if isinstance(value, float):
        yield place, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _floats(f"{place}.{name}", part)
    elif isinstance(value, list | tuple | set | frozenset):
        for number, part in enumerate(value):
            yield from _floats(f"{place}[{number}]", part)

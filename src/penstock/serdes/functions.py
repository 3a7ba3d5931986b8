"""A serde made of two functions of the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from penstock.serdes.contract import BuiltInSerde

T = TypeVar("T")


class FunctionSerde(BuiltInSerde[T]):
    """Encode with one function and decode with another; neither is ever given None."""

    encode: Callable[[T], bytes]
    decode: Callable[[bytes], T]

    def __init__(
        self, encode: Callable[[T], bytes], decode: Callable[[bytes], T], name: str | None = None
    ) -> None:
        _check_callable("encode", encode)
        _check_callable("decode", decode)
        named = "" if name is None else f", name={name!r}"
        super().__init__(f"of({_shown(encode)}, {_shown(decode)}{named})", encode, decode, name)
        self.encode = _checked(encode, repr(self))
        self.decode = decode


def _check_callable(role: str, function: object) -> None:
    if not callable(function):
        msg = f"serdes.of() takes two functions; got {function!r} as {role}"
        raise TypeError(msg)


def _checked(encode: Callable[[T], object], call: str) -> Callable[[T], bytes]:
    # json.dumps and its like return str, which Kafka clients write without an error.
    def checked(value: T) -> bytes:
        data = encode(value)
        if isinstance(data, bytes):
            return data
        msg = f"the encode function of {call} must return bytes; got {type(data).__qualname__}"
        raise TypeError(msg)

    return checked


def _shown(function: Callable[..., object]) -> str:
    name: str = getattr(function, "__qualname__", repr(function))
    return name.rpartition("<locals>.")[2]

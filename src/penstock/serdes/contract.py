"""What a serde is: the two directions between values and bytes.

The law of every serde: `decode(encode(value)) == value`, and None, which Kafka keeps as the
absence of bytes (a tombstone), stays None in both directions unless `serialize` and `deserialize`
say otherwise. The kinds that come with Penstock are in the modules beside this one.
"""

# ruff: noqa: ARG002 - the topic and the headers are there for serdes that override

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from penstock.serdes.document_shapes import Shape, Side

T = TypeVar("T")

HeaderPairs: TypeAlias = tuple[tuple[str, bytes | None], ...]
"""The headers of a record, which a serde may look at.

>>> serdes.string().serialize("orders", "ann", (("trace", b"1"),))
b'ann'
"""


class Serde(Generic[T]):
    """Turn values into bytes and back. Java: Serde, with its Serializer and Deserializer.

    Override `encode` and `decode`. Override `serialize` and `deserialize` only if the bytes depend
    on the topic or the headers, or if None has bytes of its own: a serde that leaves them alone is
    run by its `encode` and `decode` directly, which is faster.

    >>> class Cents(serdes.Serde[int]):
    ...     def encode(self, value: int) -> bytes:
    ...         return b"%d cents" % value
    ...
    ...     def decode(self, data: bytes) -> int:
    ...         return int(data.removesuffix(b" cents"))
    >>> Cents().serialize("prices", 250)
    b'250 cents'
    >>> Cents().deserialize("prices", None) is None
    True
    """

    def encode(self, value: T, /) -> bytes:
        """Return the bytes of `value`, which is never None.

        >>> serdes.string().encode("ann")
        b'ann'
        """
        raise NotImplementedError(self._must_override("encode", "serialize"))

    def decode(self, data: bytes, /) -> T:
        """Return the value of `data`, which is never None.

        >>> serdes.string().decode(b"ann")
        'ann'
        """
        raise NotImplementedError(self._must_override("decode", "deserialize"))

    def serialize(self, topic: str, value: T | None, headers: HeaderPairs = ()) -> bytes | None:
        """Return the bytes of `value` for a record of `topic`; None has none.

        >>> serdes.string().serialize("orders", None) is None
        True
        """
        return None if value is None else self.encode(value)

    def deserialize(self, topic: str, data: bytes | None, headers: HeaderPairs = ()) -> T | None:
        """Return the value of the `data` of a record of `topic`; no bytes are None.

        >>> serdes.string().deserialize("orders", b"ann")
        'ann'
        """
        return None if data is None else self.decode(data)

    def _must_override(self, simple: str, full: str) -> str:
        return f"{type(self).__qualname__} must override {simple}(), or {full}() to see the topic"


class BuiltInSerde(Serde[T]):
    """A serde that is what its constructor call says: repr, equality and pickle follow the call.

    A pickle holds the constructor's arguments, never the codecs: those are closures and C objects,
    built again where the serde arrives.

    What the engine may do with one without a visible difference are traits of its class. A class
    derived from it is the user's and inherits neither.
    """

    replaceable: ClassVar[bool] = False
    """C may run `encode_good` and `decode_good` in place of `encode` and `decode`."""
    exact: ClassVar[bool] = False
    """Whatever it has written, it reads and writes again as the same bytes."""
    reads_documents: ClassVar[bool] = False
    """What it can read depends on a type of the user, which may change between two programs."""

    number_type: type = object
    row_layout: Struct | None = None
    """Of numbers: their type, and how a timestamp and a number are written together."""
    gives_frozen = False
    """Whether nothing in what it decodes can be changed."""

    def __init_subclass__(cls, *, replaceable: bool = False, exact: bool = False) -> None:
        super().__init_subclass__()
        cls.replaceable, cls.exact = replaceable, exact

    def __init__(self, call: str, *arguments: object) -> None:
        self._call = call
        self._arguments = arguments

    @property
    def decode_good(self) -> Callable[[bytes], T]:
        """What decodes good data as `decode` does, in less time; it raises for data that is bad or
        None, which `decode` may yet read and will explain.
        """
        return self.decode

    @property
    def encode_good(self) -> tuple[type, Callable[[T], bytes]]:
        """A class, and what encodes its instances as `encode` does, in less time; it raises where
        that does, which will explain it.
        """
        return object, self.encode

    def document_shape(self, side: Side) -> Shape:
        """Return which fields what it writes or reads has; None if that cannot be told."""
        return None

    def __repr__(self) -> str:
        return f"serdes.{self._call}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BuiltInSerde):
            return NotImplemented
        return type(self) is type(other) and self._arguments == other._arguments

    def __hash__(self) -> int:
        return hash(self._call)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self._arguments


def replaceable(serde: Serde[Any]) -> BuiltInSerde[Any] | None:
    """Return the serde if C may replace it, None if its `encode` and `decode` must run."""
    return serde if isinstance(serde, BuiltInSerde) and serde.replaceable else None


def decoder_of_good(serde: Serde[Any]) -> Callable[[bytes], Any] | None:
    """Return what decodes good data and raises for other; None if `decode` must run."""
    built_in = replaceable(serde)
    return None if built_in is None else built_in.decode_good


def encoder_of_good(serde: Serde[Any]) -> tuple[type, Callable[[Any], bytes]] | None:
    """Return a class and what encodes its instances or raises; None if `encode` must run."""
    built_in = replaceable(serde)
    return None if built_in is None else built_in.encode_good


def writes_as_stored(stored: Serde[Any], written: Serde[Any] | None) -> bool:
    """Yes if `written` would write the very bytes that `stored` has written."""
    return isinstance(stored, BuiltInSerde) and stored.exact and stored == written

"""Serdes of windowed keys, with the bytes of Java's: the key, then the window's start (windows of a
known size), or its end and its start (sessions). Java: WindowedSerdes.

The serde a user makes may lack that of the key. What tasks run is `completed`: a serde whose
`encode` and `decode` are short closures.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

from penstock._durations import Duration, to_milliseconds
from penstock.errors import SerializationError, TopologyError
from penstock.serdes.contract import HeaderPairs, Serde
from penstock.serdes.wrapping import DefaultSerde, WrappingSerde, completed
from penstock.windowed import Windowed
from penstock.windows import END_OF_TIME

K = TypeVar("K")

_START = struct.Struct(">q")
_STORE_START = struct.Struct(">qi")
_END_AND_START = struct.Struct(">qq")


class WindowedSerde(WrappingSerde[Windowed[K]], Generic[K]):
    """A serde around that of the key; the bytes of the window stand behind those of the key."""

    window_bytes: ClassVar[int]
    """How many bytes of a key on a topic are the window's."""

    inner: Serde[K] | None

    def _encoder(self, encode_key: Callable[[K], bytes]) -> Callable[[Windowed[K]], bytes]:
        """Return the function that writes a windowed key."""
        raise NotImplementedError

    def _split(self, data: bytes) -> tuple[bytes, int, int]:
        """Return the bytes of the key, and the window's start and end."""
        raise NotImplementedError

    def completed(self, key: DefaultSerde, value: DefaultSerde) -> Serde[Windowed[K]]:
        inner = key() if self.inner is None else self.inner
        return _ready(self, completed(inner, key, value))

    def serialize(
        self, topic: str, value: Windowed[K] | None, headers: HeaderPairs = ()
    ) -> bytes | None:
        return self._ready().serialize(topic, value, headers)

    def deserialize(
        self, topic: str, data: bytes | None, headers: HeaderPairs = ()
    ) -> Windowed[K] | None:
        return self._ready().deserialize(topic, data, headers)

    def encode(self, value: Windowed[K], /) -> bytes:
        return self._ready().encode(value)

    def decode(self, data: bytes, /) -> Windowed[K]:
        return self._ready().decode(data)

    def _ready(self) -> Serde[Windowed[K]]:
        if self.inner is None:
            msg = f"{self!r} lacks the serde of its keys; pass it as the first argument"
            raise SerializationError(msg)
        return _ready(self, self.inner)

    def _fields(self) -> tuple[object, ...]:
        return (self.inner,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WindowedSerde):
            return NotImplemented
        return type(self) is type(other) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self), self._fields()))


class TimeWindowedSerde(WindowedSerde[K]):
    """Keys in windows of a known size: the bytes hold only the start. Java: TimeWindowedSerde."""

    window_bytes = _START.size

    def __init__(
        self, inner: Serde[K] | None, window_size: Duration, *, changelog: bool = False
    ) -> None:
        self.inner = inner
        self.window_size_ms = to_milliseconds(window_size, "serdes.time_windowed: window_size")
        if self.window_size_ms < 1:
            msg = (
                f"serdes.time_windowed: window_size must be at least 1 ms; got {window_size!s}; "
                "pass the size of the windows that the keys come from"
            )
            raise TopologyError(msg)
        self.changelog = changelog

    def _encoder(self, encode_key: Callable[[K], bytes]) -> Callable[[Windowed[K]], bytes]:
        pack = _START.pack

        def encode(windowed: Windowed[K]) -> bytes:
            if type(windowed) is not Windowed:
                raise _not_windowed(self, windowed)
            key, start, _ = windowed
            return encode_key(key) + pack(start)

        return encode

    def _split(self, data: bytes) -> tuple[bytes, int, int]:
        # A changelog has a sequence number behind each start.
        layout = _STORE_START if self.changelog else _START
        at = len(data) - layout.size
        if at < 0:
            raise _too_short(data, layout.size)
        start = layout.unpack_from(data, at)[0]
        return data[:at], start, min(start + self.window_size_ms, END_OF_TIME)

    def _fields(self) -> tuple[object, ...]:
        return (self.inner, self.window_size_ms, self.changelog)

    def __repr__(self) -> str:
        of_changelog = ", changelog=True" if self.changelog else ""
        return f"serdes.time_windowed({self.inner!r}, {self.window_size_ms}{of_changelog})"


class SessionWindowedSerde(WindowedSerde[K]):
    """Keys in sessions: the bytes hold end and start. Java: SessionWindowedSerde."""

    window_bytes = _END_AND_START.size

    def __init__(self, inner: Serde[K] | None) -> None:
        self.inner = inner

    def _encoder(self, encode_key: Callable[[K], bytes]) -> Callable[[Windowed[K]], bytes]:
        pack = _END_AND_START.pack

        def encode(windowed: Windowed[K]) -> bytes:
            if type(windowed) is not Windowed:
                raise _not_windowed(self, windowed)
            key, start, end = windowed
            return encode_key(key) + pack(end, start)

        return encode

    def _split(self, data: bytes) -> tuple[bytes, int, int]:
        at = len(data) - _END_AND_START.size
        if at < 0:
            raise _too_short(data, _END_AND_START.size)
        end, start = _END_AND_START.unpack_from(data, at)
        return data[:at], start, end

    def __repr__(self) -> str:
        return f"serdes.session_windowed({self.inner!r})"


class _Ready(Serde[Windowed[K]]):
    """A windowed serde that lacks nothing."""

    encode: Callable[[Windowed[K]], bytes]
    decode: Callable[[bytes], Windowed[K]]

    def __init__(self, of: WindowedSerde[K], inner: Serde[K]) -> None:
        self.of = of
        self.inner = inner
        decode_key, split = inner.decode, of._split

        def decode(data: bytes) -> Any:
            if not data:
                return None  # as in Java: no bytes at all are no key
            key, start, end = split(data)
            return Windowed(decode_key(key), start, end)

        self.encode = of._encoder(inner.encode)
        self.decode = decode

    def __repr__(self) -> str:
        return repr(self.of)

    def __reduce__(self) -> tuple[object, ...]:
        # The closures cannot travel: they are made again where the serde arrives.
        return type(self), (self.of, self.inner)


class _ReadyWithTopic(_Ready[K]):
    """One whose key serde wants to know the topic or the headers."""

    def serialize(
        self, topic: str, value: Windowed[K] | None, headers: HeaderPairs = ()
    ) -> bytes | None:
        if value is None:
            return None
        serialize = self.inner.serialize
        return self.of._encoder(lambda key: serialize(topic, key, headers) or b"")(value)

    def deserialize(
        self, topic: str, data: bytes | None, headers: HeaderPairs = ()
    ) -> Windowed[K] | None:
        if not data:
            return None
        key, start, end = self.of._split(data)
        inner_key: Any = self.inner.deserialize(topic, key, headers)
        return Windowed(inner_key, start, end)


def _ready(of: WindowedSerde[K], inner: Serde[K]) -> Serde[Windowed[K]]:
    # A key serde that overrides nothing but encode and decode is run by these directly.
    plain = type(inner).serialize is Serde.serialize
    plain = plain and type(inner).deserialize is Serde.deserialize
    return _Ready(of, inner) if plain else _ReadyWithTopic(of, inner)


def window_bytes_of(serde: Serde[Any]) -> int:
    """Return how many of the last bytes of a key are those of its window, 0 if it has none."""
    return serde.of.window_bytes if isinstance(serde, _Ready) else 0


def inner_serde_of(serde: Serde[Any]) -> Serde[Any] | None:
    """Return the serde of the keys in windows, None if `serde` writes no windowed keys."""
    return serde.inner if isinstance(serde, WindowedSerde | _Ready) else None


def key_serde_before_start(serde: Serde[Any]) -> Serde[Any] | None:
    """Return the serde of the keys if `serde` writes their bytes and the start of a window."""
    if isinstance(serde, _Ready) and type(serde.of) is TimeWindowedSerde:
        return serde.inner
    return None


def _not_windowed(serde: object, value: object) -> TypeError:
    return TypeError(f"{serde!r} writes Windowed; got {type(value).__qualname__}")


def _too_short(data: bytes, least: int) -> SerializationError:
    return SerializationError(
        f"cannot read windowed key: expected at least {least} bytes, got {len(data)}: "
        f"{data.hex(' ')}; was the topic written with windowed keys?"
    )

"""The frames of the control protocol, as pure functions of bytes: no sockets here.

Both sides send a greeting with a nonce. From these and the shared key each direction gets a key of
its own, for this connection only. A frame is a length, a body and a MAC over the frame's number,
its length and its body. The number is counted by both sides and never sent, so a frame that is
repeated, left out, moved, changed, sent back to its sender or taken from another connection does
not open. Bodies are MessagePack, decoded into declared types. `connection.py` does the I/O.
"""

from __future__ import annotations

import hmac
import struct
import threading
from typing import Any, Literal, TypeAlias, TypeVar, cast

import msgspec

T = TypeVar("T")

NONCE_BYTES = 32
MAC_BYTES = 32
MAGIC = b"penstock control 1\n"
GREETING_BYTES = len(MAGIC) + NONCE_BYTES

BODY_BYTES_MAX = 16 << 20
"""The longest body; a worker's largest report is a few megabytes."""

PROOF = b"I know the key"
"""The body of the first frame in each direction."""

_LENGTH = struct.Struct(">I")
_NUMBER = struct.Struct(">Q")
HEADER_BYTES = _LENGTH.size

_decoders: dict[Any, msgspec.msgpack.Decoder[Any]] = {}
_decoders_lock = threading.Lock()

Side: TypeAlias = Literal["driver", "worker"]


class WireError(ConnectionError):
    """The peer does not speak the protocol, does not know the key, or a frame was tampered with."""


class MessageTooLong(ValueError):
    """A message of this side is longer than the peer accepts."""


class Message(msgspec.Struct, frozen=True, array_like=True):
    """The content of a body: a request, its answer or its refusal. Either side may ask."""

    kind: Literal["ask", "answer", "refusal"]
    number: int
    """An answer has the number of its request."""
    verb: str
    payload: bytes
    """MessagePack; its type depends on the verb."""


def greeting(nonce: bytes) -> bytes:
    """Return the first bytes that a side sends."""
    return MAGIC + nonce


def nonce_of(received: bytes) -> bytes:
    """Return the nonce of the peer's greeting.

    Raises:
        WireError: this is no greeting.
    """
    if len(received) != GREETING_BYTES or not received.startswith(MAGIC):
        msg = "the peer does not speak Penstock's control protocol"
        raise WireError(msg)
    return received[len(MAGIC) :]


class Seals:
    """Both directions of one connection, as one side sees them: `seal` and `open` keep count."""

    def __init__(self, side: Side, key: bytes, worker_nonce: bytes, driver_nonce: bytes) -> None:
        shared = hmac.digest(key, MAGIC + worker_nonce + driver_nonce, "sha256")
        to_driver = hmac.digest(shared, b"worker to driver", "sha256")
        to_worker = hmac.digest(shared, b"driver to worker", "sha256")
        keys = (to_worker, to_driver) if side == "driver" else (to_driver, to_worker)
        # A MAC begins with a copy: OpenSSL takes twice as long to set up a key.
        self._sending, self._receiving = (hmac.new(one, digestmod="sha256") for one in keys)
        self._sent = self._received = 0

    def seal(self, body: bytes) -> bytes:
        """Return the next frame to send.

        Raises:
            MessageTooLong: the peer would refuse it.
        """
        if len(body) > BODY_BYTES_MAX:
            msg = (
                f"a message to the other side must be at most {BODY_BYTES_MAX:,} bytes; "
                f"got {len(body):,}"
            )
            raise MessageTooLong(msg)
        header = _LENGTH.pack(len(body))
        mac = _mac(self._sending, self._sent, header, body)
        self._sent += 1
        return header + body + mac

    def open(self, header: bytes, body: bytes, mac: bytes) -> bytes:
        """Return the body of the next frame that was received.

        Raises:
            WireError: the frame is not the one that the peer sent next.
        """
        expected = _mac(self._receiving, self._received, header, body)
        if not hmac.compare_digest(expected, mac):
            msg = (
                "the peer does not know the key"
                if self._received == 0
                else f"frame {self._received} is not the one that the peer sent next"
            )
            raise WireError(msg)
        self._received += 1
        return body


def body_length(header: bytes, limit: int = BODY_BYTES_MAX) -> int:
    """Return the length of the body that follows a header.

    Raises:
        WireError: it is longer than `limit`.
    """
    (length,) = _LENGTH.unpack(header)
    if length > limit:
        msg = f"the peer announces {length:,} bytes, more than the {limit:,} that are allowed"
        raise WireError(msg)
    return int(length)


def encode(value: Any) -> bytes:
    """Return a value as MessagePack. Text that is not Unicode, as of file names, is escaped."""
    try:
        return msgspec.msgpack.encode(value)
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(_escaped(msgspec.to_builtins(value, builtin_types=(bytes,))))


def decode(data: bytes, kind: type[T]) -> T:
    """Return a value of the declared type.

    Raises:
        WireError: the data is of another type.
    """
    try:
        return cast(T, _decoder_of(kind).decode(data))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        msg = f"the peer sent no {getattr(kind, '__name__', kind)}: {error}"
        raise WireError(msg) from error


def _decoder_of(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return the decoder of a type, which is made once, by one thread.

    msgspec examines a dataclass when it first decodes one, and another thread that decodes the same
    type meanwhile meets a description that is half there: with 200 workers that report at the same
    moment the driver's process crashed.
    """
    known = _decoders.get(kind)
    if known is None:
        with _decoders_lock:
            known = _decoders[kind] = msgspec.msgpack.Decoder(kind)
    return known


def _mac(keyed: hmac.HMAC, number: int, header: bytes, body: bytes) -> bytes:
    mac = keyed.copy()
    mac.update(_NUMBER.pack(number) + header)
    mac.update(body)
    return mac.digest()


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_escaped(key): _escaped(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(one) for one in value]
    return value

"""Writes single records with any timestamp, 0 and below too.

librdkafka takes a timestamp of 0 for "now", so these records are written by the protocol's own
words: a produce request of version 3 with a record batch of version 2, uncompressed, without
transaction. Kafka's guide to the protocol: https://kafka.apache.org/protocol
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from time import sleep

from penstock._clock import monotonic

_PRODUCE, _VERSION = 0, 3
_ALL_REPLICAS = -1
_TIMEOUT_SECONDS = 30.0
_AGAIN_SECONDS = 0.05
_TOO_NEW = frozenset({3, 5, 6})
"""Codes of a topic that is being made: it is not known yet, or has no leader."""
_MAGIC = 2
_POLYNOMIAL = 0x82F63B78
"""Of CRC-32C, which Python does not have, with the bits reversed."""

Headers = Iterable[tuple[str, bytes | None]]


class PlainProducer:
    """A connection to a broker that leads all partitions."""

    def __init__(self, bootstrap_servers: str) -> None:
        host, _, port = bootstrap_servers.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), _TIMEOUT_SECONDS)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def write(self, topic: str, partition: int, batch: bytes) -> int:
        """Write a batch; give the offset of its record.

        Raises:
            RuntimeError: the broker refused it.
        """
        until = monotonic() + _TIMEOUT_SECONDS
        while True:
            error, offset = self._try(topic, partition, batch)
            if not error:
                return offset
            if error not in _TOO_NEW or monotonic() > until:
                msg = f"the broker refused a record of topic {topic!r}: error code {error}"
                raise RuntimeError(msg)
            sleep(_AGAIN_SECONDS)

    def _try(self, topic: str, partition: int, batch: bytes) -> tuple[int, int]:
        """Return the broker's error code, 0 if there is none, and the offset."""
        name = _text(topic)
        body = (
            struct.pack(">hhi", _PRODUCE, _VERSION, 1)
            + _text("conformance")
            + struct.pack(">hhi", -1, _ALL_REPLICAS, int(_TIMEOUT_SECONDS * 1000))
            + struct.pack(">i", 1)
            + name
            + struct.pack(">iii", 1, partition, len(batch))
            + batch
        )
        self._socket.sendall(struct.pack(">i", len(body)) + body)
        [length] = struct.unpack(">i", self._receive(4))
        answer = self._receive(length)
        # Behind the request's number, the count of topics, the topic's name and the count of
        # partitions.
        _, error, offset = struct.unpack_from(">ihq", answer, 4 + 4 + len(name) + 4)
        return error, offset

    def _receive(self, length: int) -> bytes:
        received = b""
        while len(received) < length:
            part = self._socket.recv(length - len(received))
            if not part:
                msg = "the broker has closed the connection; did it understand the request?"
                raise RuntimeError(msg)
            received += part
        return received


def record_batch(
    key: bytes | None, value: bytes | None, timestamp: int, headers: Headers = ()
) -> bytes:
    """Return a batch of one record."""
    pairs = list(headers)
    fields = (
        b"\0"  # no attributes
        + _varint(0)  # the timestamp, after the batch's
        + _varint(0)  # the offset, likewise
        + _sized(key)
        + _sized(value)
        + _varint(len(pairs))
        + b"".join(_sized(name.encode()) + _sized(content) for name, content in pairs)
    )
    # No attributes, one record, its time as first and last, no producer that numbers its records.
    head = struct.pack(">hiqqqhii", 0, 0, timestamp, timestamp, -1, -1, -1, 1)
    covered = head + _varint(len(fields)) + fields
    rest = struct.pack(">ibI", -1, _MAGIC, crc32c(covered)) + covered
    return struct.pack(">qi", 0, len(rest)) + rest


def crc32c(data: bytes) -> int:
    """Return the checksum of Castagnoli."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (_POLYNOMIAL if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def _varint(number: int) -> bytes:
    """Write a number zigzag, seven bits a byte."""
    rest = (number << 1) ^ (number >> 63)
    written = bytearray()
    while rest > 0x7F:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    written.append(rest)
    return bytes(written)


def _sized(data: bytes | None) -> bytes:
    return _varint(-1) if data is None else _varint(len(data)) + data


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded

"""Serdes around others, which may come from the application's defaults."""

from __future__ import annotations

from typing import Any

from penstock import serdes
from penstock.serdes import Serde
from penstock.serdes.wrapping import DefaultSerde, WrappingSerde, completed


class InBrackets(WrappingSerde[Any]):
    """Writes a key in brackets."""

    def __init__(self, inner: Serde[Any] | None = None) -> None:
        self.inner = inner

    def completed(self, key: DefaultSerde, value: DefaultSerde) -> Serde[Any]:
        return InBrackets(key() if self.inner is None else self.inner)

    def encode(self, value: Any, /) -> bytes:
        assert self.inner is not None
        return b"[" + self.inner.encode(value) + b"]"


def none() -> Serde[Any]:
    raise AssertionError


def test_what_was_left_out_is_the_default() -> None:
    ready = completed(InBrackets(), serdes.string, none)
    assert ready.encode("a") == b"[a]"


def test_what_was_given_needs_no_default() -> None:
    assert completed(InBrackets(serdes.string()), none, none).encode("a") == b"[a]"


def test_a_serde_around_nothing_is_ready_as_it_is() -> None:
    plain = serdes.long()
    assert completed(plain, none, none) is plain

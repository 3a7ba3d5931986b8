"""Serdes around other serdes, which may be left out until the application's defaults are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from penstock.serdes.contract import Serde

T = TypeVar("T")

DefaultSerde: TypeAlias = Callable[[], Serde[Any]]
"""Returns a default serde, or raises if the application has none."""


class WrappingSerde(Serde[T]):
    """A serde that needs others: of the windowed key, of the row in a change. Java:
    WrappingNullableSerde.
    """

    def completed(self, key: DefaultSerde, value: DefaultSerde) -> Serde[T]:
        """Return this serde with the defaults wherever a serde was left out."""
        raise NotImplementedError


def completed(serde: Serde[T], key: DefaultSerde, value: DefaultSerde) -> Serde[T]:
    """Return a serde ready for use; only one that wraps others may lack something."""
    return serde.completed(key, value) if isinstance(serde, WrappingSerde) else serde

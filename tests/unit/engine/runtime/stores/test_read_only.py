"""A global store as others see it."""

from __future__ import annotations

import pytest

from penstock._engine.runtime.stores.read_only import ReadOnlyStore
from penstock.errors import StreamsError


class Store:
    name = "rows"

    def get(self, key: str) -> str:
        return key.upper()

    def put(self, key: str, value: str) -> None:
        raise AssertionError


def test_it_can_be_read() -> None:
    assert (ReadOnlyStore(Store()).name, ReadOnlyStore(Store()).get("a")) == ("rows", "A")


@pytest.mark.parametrize("write", ["put", "put_if_absent", "put_all", "delete", "remove"])
def test_it_cannot_be_written(write: str) -> None:
    with pytest.raises(
        StreamsError, match=f"global store 'rows' must not be written here: {write}"
    ):
        getattr(ReadOnlyStore(Store()), write)


def test_what_the_store_does_not_have_it_does_not_have() -> None:
    with pytest.raises(AttributeError, match="fetch"):
        _ = ReadOnlyStore(Store()).fetch

"""The store of subscriptions: its changelog has headers."""

from __future__ import annotations

from typing import Any

from penstock._engine.state.codec import pack_timestamp
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.overlay import Overlay
from penstock._engine.state.views.subscriptions import SubscriptionStore

HEADERS = (("side", b"left"),)


def test_what_is_written_is_logged_with_its_own_time_and_the_record_s_headers() -> None:
    logged: list[Any] = []
    store = SubscriptionStore(Overlay(MemoryStore()), lambda *change: logged.append(change))
    row = pack_timestamp(5) + b"value"
    store.write(b"a", row, 9, HEADERS)
    store.write(b"b", row, 9, ())
    assert (store.get(b"a"), store.approximate_num_entries()) == (row, 2)
    assert list(store.scan(b"a", b"b", reverse=False)) == [(b"a", row)]
    store.write(b"a", None, 9, HEADERS)
    assert store.get(b"a") is None
    assert logged == [
        (b"a", b"value", 5, HEADERS),
        (b"b", b"value", 5, ()),
        (b"a", None, 9, HEADERS),
    ]

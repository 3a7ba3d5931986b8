"""The operations of joins say which stores they bring."""

from __future__ import annotations

from dataclasses import replace

from penstock._engine.topology.nodes.join_nodes import (
    GlobalTableJoin,
    KeepForJoin,
    StreamJoinSide,
    StreamTableJoin,
)
from penstock._engine.topology.nodes.views import StoredRows
from penstock.stores._builders import (
    join_buffer_builder,
    join_store_builder,
    outer_join_store_builder,
)

KEPT = join_store_builder("kept", None, None, retention_ms=5, window_size_ms=5)
WAITING = outer_join_store_builder("waiting", None, None, None)
SIDE = StreamJoinSide(
    store=KEPT,
    waiting=None,
    joiner=max,
    with_key=False,
    is_left=True,
    keeps_own=False,
    keeps_other=False,
    before_ms=1,
    after_ms=2,
    join_grace_ms=0,
)


def test_both_sides_bring_the_store_of_what_waits() -> None:
    assert KeepForJoin(KEPT).own_stores() == (KEPT,)
    assert SIDE.own_stores() == (KEPT,)
    assert replace(SIDE, waiting=WAITING).own_stores() == (KEPT, WAITING)


def test_a_table_s_join_brings_its_buffer_only() -> None:
    buffer = join_buffer_builder("buffer", None, None)
    look = StreamTableJoin(StoredRows("rows"), max, with_key=False, keeps_own=True)
    assert look.own_stores() == ()
    assert replace(look, buffer=buffer).own_stores() == (buffer,)
    assert GlobalTableJoin("rows", max, max, with_key=False, keeps_own=True).own_stores() == ()

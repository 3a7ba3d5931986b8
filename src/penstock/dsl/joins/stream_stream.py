"""The stream-stream join: a node that keeps each stream's records, one that joins them
with the other's, one that merges both. Java: KStreamImplJoin.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from penstock._engine.topology.graph import (
    Graph,
    ProcessorDrawing,
    Repartition,
    StreamJoin,
    repartition_names,
)
from penstock._engine.topology.nodes.join_nodes import KeepForJoin, SelfJoin, StreamJoinSide
from penstock._names import check_name
from penstock.dsl.handle import StreamHandle
from penstock.dsl.materialized import note_unnamed
from penstock.dsl.options import StreamJoined
from penstock.errors import TopologyError
from penstock.serdes import Serde
from penstock.stores import StoreBuilder
from penstock.stores._builders import (
    Logging,
    chosen_by,
    join_store_builder,
    outer_join_store_builder,
)
from penstock.windows import JoinWindows

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StreamJoinKind:
    """Which records a join sends, and what its joiner takes."""

    verb: str
    keeps_left: bool
    keeps_right: bool
    with_key: bool

    @property
    def this_prefix(self) -> str:
        return "KSTREAM-OUTERTHIS-" if self.keeps_right else "KSTREAM-JOINTHIS-"

    @property
    def other_prefix(self) -> str:
        return "KSTREAM-OUTEROTHER-" if self.keeps_left else "KSTREAM-JOINOTHER-"

    @property
    def this_suffix(self) -> str:
        return "-outer-this-join" if self.keeps_right else "-this-join"

    @property
    def other_suffix(self) -> str:
        return "-outer-other-join" if self.keeps_left else "-other-join"

    @property
    def waiting_suffix(self) -> str:
        return "-outer-shared-join" if self.keeps_right else "-left-shared-join"


@dataclass(frozen=True, slots=True)
class _Names:
    """The nodes of a join; `this_number` and `other_number` are the names that their stores have if
    the user gives none.
    """

    this_kept_by: str
    other_kept_by: str
    this_number: str
    other_number: str
    this: str
    other: str
    pairs: str


def join_streams(
    streams: tuple[StreamHandle, StreamHandle],
    kind: StreamJoinKind,
    joiner: Callable[..., Any],
    windows: JoinWindows,
    joined: StreamJoined[Any, Any, Any],
) -> StreamHandle:
    """Draw the join of two streams, each through a topic of its own if it has been rekeyed."""
    left, right = streams
    this = _meeting_place(left, joined.name, "-left", joined.key, joined.value)
    other = _meeting_place(right, joined.name, "-right", joined.key, joined.other_value)
    graph = this.graph
    sources = this.sources | other.sources
    graph.copartition(sources)
    names = _names(graph, kind, joined.name)
    stores = _stores(graph, kind, names, windows, joined)
    graph.add(ProcessorDrawing(names.this_kept_by, KeepForJoin(stores[0])), this.step)
    graph.add(ProcessorDrawing(names.other_kept_by, KeepForJoin(stores[1])), other.step)
    sides = _sides(kind, joiner, windows, stores)
    step = graph.add(
        StreamJoin(
            name=names.pairs,
            this_name=names.this,
            other_name=names.other,
            this_kept_by=names.this_kept_by,
            other_kept_by=names.other_kept_by,
            this=sides[0],
            other=sides[1],
            alone=SelfJoin(
                stores[0],
                joiner,
                kind.with_key,
                windows.before_ms,
                windows.after_ms,
                windows.grace_ms,
                kind.keeps_left,
            ),
        ),
        this.step,
        other.step,
    )
    return this.then(
        step,
        # Java inherits the serde of neither stream: they may differ.
        key_serde=joined.key,
        value_serde=None,
        sources=sources,
        repartition_required=False,
    )


def _sides(
    kind: StreamJoinKind,
    joiner: Callable[..., Any],
    windows: JoinWindows,
    stores: tuple[StoreBuilder, StoreBuilder, StoreBuilder | None],
) -> tuple[StreamJoinSide, StreamJoinSide]:
    this_store, other_store, waiting = stores
    left = StreamJoinSide(
        store=other_store,
        waiting=waiting,
        joiner=joiner,
        with_key=kind.with_key,
        is_left=True,
        keeps_own=kind.keeps_left,
        keeps_other=kind.keeps_right,
        before_ms=windows.before_ms,
        after_ms=windows.after_ms,
        join_grace_ms=windows.grace_ms,
    )
    right = replace(
        left,
        store=this_store,
        is_left=False,
        keeps_own=kind.keeps_right,
        keeps_other=kind.keeps_left,
        before_ms=windows.after_ms,
        after_ms=windows.before_ms,
    )
    return left, right


def repartitioned(
    stream: StreamHandle,
    name: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
    *,
    by_user: bool,
) -> StreamHandle:
    """Return the stream behind a repartition topic called after `name`; `by_user` says whether it
    is the user's.

    A stream that was repartitioned for a join before is not repartitioned again for one without a
    name; the numbers are used up all the same.
    """
    graph = stream.graph
    key_serde, value_serde = key or stream.key_serde, value or stream.value_serde
    called = repartition_names(graph, name, by_user=by_user)
    if stream.repartition is None or name != stream.node_name:
        step = graph.add(Repartition(called, key_serde, value_serde), stream.step)
        stream.repartition = step
    return stream.then(
        stream.repartition,
        key_serde=key_serde,
        value_serde=value_serde,
        sources=frozenset({graph.steps[stream.repartition].drawing.name}),
        repartition_required=False,
        node_name=called.source,
    )


def _meeting_place(
    stream: StreamHandle,
    name: str | None,
    suffix: str,
    key: Serde[Any] | None,
    value: Serde[Any] | None,
) -> StreamHandle:
    if not stream.repartition_required:
        return stream
    if name is None:
        return repartitioned(stream, stream.node_name, key, value, by_user=False)
    return repartitioned(stream, check_name(name + suffix), key, value, by_user=True)


def _names(graph: Graph, kind: StreamJoinKind, name: str | None) -> _Names:
    def given_or_next(suffix: str, prefix: str) -> str:
        given = None if name is None else check_name(name + suffix)
        return graph.names.named_or_next(given, prefix)

    this_kept_by = given_or_next("-this-windowed", "KSTREAM-WINDOWED-")
    other_kept_by = given_or_next("-other-windowed", "KSTREAM-WINDOWED-")
    this_number = graph.names.processor(kind.this_prefix)
    other_number = graph.names.processor(kind.other_prefix)
    return _Names(
        this_kept_by,
        other_kept_by,
        this_number,
        other_number,
        this_number if name is None else check_name(name + kind.this_suffix),
        other_number if name is None else check_name(name + kind.other_suffix),
        given_or_next("-merge", "KSTREAM-MERGE-"),
    )


def _stores(
    graph: Graph,
    kind: StreamJoinKind,
    names: _Names,
    windows: JoinWindows,
    joined: StreamJoined[Any, Any, Any],
) -> tuple[StoreBuilder, StoreBuilder, StoreBuilder | None]:
    """Return the stores of both streams, and that of records which wait for a match, if any do."""
    own, base = (joined.this_store, joined.other_store), joined.store_name
    if own[0] is not None and own[1] is not None and own[0].name == own[1].name:
        msg = (
            f"StreamJoined's this_store and other_store must have names of their own; got "
            f"{own[0].name!r} for both"
        )
        raise TopologyError(msg)
    this_name = f"{names.this_number if base is None else base + kind.this_suffix}-store"
    other_name = f"{names.other_number if base is None else base + kind.other_suffix}-store"
    this = _window_store(own[0], this_name, joined.value, windows, joined)
    other = _window_store(own[1], other_name, joined.other_value, windows, joined)
    waiting = _waiting_store(kind, names, joined) if kind.keeps_left else None
    if base is None:
        # What waits is named after this stream's store, if that is the user's.
        for store, users in ((this, own[0]), (other, own[1]), (waiting, own[0])):
            if store is not None and users is None:
                note_unnamed(graph, store)
    return this, other, waiting


def _window_store(
    own: StoreBuilder | None,
    name: str,
    value: Serde[Any] | None,
    windows: JoinWindows,
    joined: StreamJoined[Any, Any, Any],
) -> StoreBuilder:
    retention_ms = windows.size_ms + windows.grace_ms
    if own is None:
        store = join_store_builder(
            name,
            joined.key,
            value,
            retention_ms=retention_ms,
            window_size_ms=windows.size_ms,
            engine=joined.store or "rocksdb",
            logging=joined.logging,
        )
        return chosen_by(store, joined.store)
    times = own.times
    if own.kind != "window" or times is None or not times.retain_duplicates:
        msg = (
            f"store {own.name!r} of StreamJoined must be a window store that retains duplicates: a "
            "join keeps all records of a key; pass Stores.persistent_window_store(..., "
            "retain_duplicates=True)"
        )
        raise TopologyError(msg)
    if times.retention_ms != retention_ms or times.window_size_ms != windows.size_ms:
        msg = (
            f"store {own.name!r} of StreamJoined must fit the join's windows: window_size="
            f"{windows.size_ms} (before and after), retention={retention_ms} (and the grace); got "
            f"window_size={times.window_size_ms}, retention={times.retention_ms}"
        )
        raise TopologyError(msg)
    _warn_of_ignored_logging(own, joined.logging)
    return replace(own, key=joined.key or own.key, value=value or own.value)


def _warn_of_ignored_logging(own: StoreBuilder, said: Logging) -> None:
    """Warn of what StreamJoined says of changelogs where the user's store says otherwise. Java:
    KStreamImplJoin takes the supplier's, without a word.
    """
    wanted = dict(said) if isinstance(said, Mapping) else {}
    differs = (
        said is not False
    ) is not own.logged or not wanted.items() <= own.changelog_settings.items()
    if said is not True and differs:
        _log.warning(
            "store=%s StreamJoined(logging=%r) is not for stores that are given with this_store "
            "and other_store: as in Java, the changelog is as the store says; pass logging= to "
            "Stores where the store is made",
            own.name,
            said,
        )


def _waiting_store(
    kind: StreamJoinKind, names: _Names, joined: StreamJoined[Any, Any, Any]
) -> StoreBuilder:
    if joined.this_store is not None:
        name = joined.this_store.name + kind.waiting_suffix
    elif joined.store_name is not None:
        name = joined.store_name + kind.waiting_suffix
    else:
        name = "KSTREAM-OUTERSHARED-" + names.this_number.removeprefix(kind.this_prefix)
    engine = joined.store or (joined.this_store.engine if joined.this_store else None)
    store = outer_join_store_builder(
        f"{name}-store",
        joined.key,
        joined.value,
        joined.other_value,
        engine=engine or "rocksdb",
        logging=joined.logging,
    )
    return chosen_by(store, engine)

"""Which instance has which stores and partitions. Java: StreamsMetadata, KeyQueryMetadata, LagInfo.

An instance is a driver with its workers, and all its stores are asked through the driver: its host
is that of the driver, whichever worker has a task. Drivers announce themselves to each other. A
task on its way from one worker to another has no known owner: its `active_host` is None.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from penstock._engine.control.drivers import Driver
from penstock._engine.planner.tasks import Partition, TaskPlan
from penstock._engine.queries.asking import Asker, ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.questions import GLOBAL, Read, Row
from penstock.queries.source import Source
from penstock.stores import TopicPartition


class HostInfo(NamedTuple):
    """Where an instance is asked: its `application.server`, or else where its HTTP server listens.
    Java: HostInfo.

    >>> from penstock.queries import HostInfo
    >>> HostInfo("shop-1", 8080).port
    8080
    """

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class KeyQueryMetadata:
    """Where the entry of a key is. Java: KeyQueryMetadata.

    >>> from penstock.queries import HostInfo, KeyQueryMetadata
    >>> found = KeyQueryMetadata(HostInfo("shop-1", 8080), frozenset(), partition=3, is_local=True)
    >>> found.partition
    3
    """

    active_host: HostInfo | None
    """The instance that has the key's task; None if none is known to have it, or if it has neither
    an `application.server` nor an HTTP server. Java says "unavailable" then.
    """
    standby_hosts: frozenset[HostInfo]
    """The instances whose workers keep a standby copy of the task."""
    partition: int
    """The partition of the key; -1 for a global store, which every worker has whole."""
    is_local: bool
    """Whether a worker of this instance has the key's task."""


@dataclass(frozen=True, slots=True)
class StreamsMetadata:
    """What the workers of an instance have. Java: StreamsMetadata.

    >>> from penstock.queries import HostInfo, StreamsMetadata
    >>> StreamsMetadata(HostInfo("shop-1", 8080), frozenset({"counts"})).state_store_names
    frozenset({'counts'})
    """

    host_info: HostInfo | None
    """Its `application.server`, or where its HTTP server listens; None if it has neither."""
    state_store_names: frozenset[str] = frozenset()
    topic_partitions: frozenset[TopicPartition] = frozenset()
    """The input partitions of its tasks."""
    standby_state_store_names: frozenset[str] = frozenset()
    standby_topic_partitions: frozenset[TopicPartition] = frozenset()


@dataclass(frozen=True, slots=True)
class LagInfo:
    """How far a store is behind the end of its changelog. Java: LagInfo.

    >>> from penstock.queries import LagInfo
    >>> LagInfo(offset_lag=3, current_offset_position=7, end_offset_position=10).offset_lag
    3
    """

    offset_lag: int
    """How many offsets are left to be read; 0 for a task that runs."""
    current_offset_position: int | None = None
    """The offset it has reached; None for a task that runs, which writes the changelog itself."""
    end_offset_position: int | None = None
    """The end of the changelog now; None for a task that runs."""


def key_metadata(source: Source, key: Any, drivers: Sequence[Driver]) -> KeyQueryMetadata:
    """Return where the entry of a key is. Of the drivers the first is this one, the last is the one
    that was heard of last.

    Raises:
        QueryError: the store's serde does not take the key, or its partitioner chose no partition.
    """
    partition = source.partition_of(key, source.raw_key(key))
    task, (here, *others) = source.store.tasks[partition], drivers
    if partition == GLOBAL:
        return KeyQueryMetadata(_host(here), frozenset(), partition, True)
    # One that was killed is not heard of again.
    believed = [here, *reversed(others)]
    owner = next((driver for driver in believed if task in driver.tasks), None)
    copied = drivers if source.store.plan.has_standbys else ()
    copies = {_host(driver) for driver in copied if task in driver.standbys and driver.host}
    return KeyQueryMetadata(
        None if owner is None else _host(owner),
        frozenset(host for host in copies if host is not None),
        partition,
        owner is here,
    )


def instance_metadata(
    driver: Driver, plans: Iterable[TaskPlan], global_stores: Iterable[str]
) -> StreamsMetadata:
    """Return the metadata of an instance."""
    plans = list(plans)
    active = [plan for plan in plans if plan.id in driver.tasks]
    copied = [
        plan
        for plan in plans
        if plan.id in driver.standbys
        and any(store.has_standbys for store in plan.subtopology.stores.values())
    ]
    kept = {
        name
        for plan in copied
        for name, store in plan.subtopology.stores.items()
        if store.has_standbys
    }
    return StreamsMetadata(
        _host(driver),
        _stores(active) | frozenset(global_stores if driver.tasks else ()),
        _partitions(active),
        frozenset(kept),
        _partitions(copied),
    )


def partition_lags(
    stores: Iterable[StoreEntry],
    asker: Asker,
    options: ReadOptions,
    ends_of: Callable[[Collection[Partition]], Mapping[Partition, int]],
) -> dict[str, dict[int, LagInfo]]:
    """Return how far the stores of the workers of this instance are behind their changelogs, of
    which `ends_of` asks the ends. Of a task that no worker here has, it is the standby copy that
    is told.

    Raises:
        StoreNotReadyError: a worker does not answer in time.
    """
    reached: dict[tuple[str, int], tuple[int, int] | None] = {}
    changelogs: dict[tuple[str, int], Partition] = {}
    for store in stores:
        local = {each for each in store.tasks if each != GLOBAL} & (
            asker.owners(store).keys() | asker.copies(store, store.tasks).keys()
        )
        parts = asker.parts(store, Read("restoring"), sorted(local), options) if local else {}
        for partition, part in sorted(parts.items()):
            reached[store.name, partition] = _progress(part.rows)
            # A table that is restored from its own input goes only as far as the task was.
            if part.rows and store.plan.changelog is not None:
                changelogs[store.name, partition] = store.plan.changelog, partition
    ends = ends_of(changelogs.values()) if changelogs else {}
    lags: dict[str, dict[int, LagInfo]] = {}
    for (name, partition), progress in reached.items():
        lag = LagInfo(0)
        if progress is not None:
            at, end = progress
            end = ends[place] if (place := changelogs.get((name, partition))) else end
            lag = LagInfo(max(0, end - at), at, end)
        lags.setdefault(name, {})[partition] = lag
    return lags


def _progress(rows: tuple[Row, ...]) -> tuple[int, int] | None:
    """Return the offset that a store has reached and its end; None of a task that runs."""
    return next(((start or 0, end or 0) for *_, start, end in rows), None)


def _host(driver: Driver) -> HostInfo | None:
    return None if driver.host is None else HostInfo(*driver.host)


def _stores(plans: Iterable[TaskPlan]) -> frozenset[str]:
    return frozenset(name for plan in plans for name in plan.subtopology.stores)


def _partitions(plans: Iterable[TaskPlan]) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(*one) for plan in plans for one in plan.inputs)

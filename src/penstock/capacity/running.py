"""Throughput under exactly-once, the time of a restore, and how many partitions a rate needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from penstock.capacity.figures import check_not_negative, check_positive, figure

COMMIT_MS = 20.0
"""What committing a transaction takes a worker: chosen in view of the figures in `benchmarks`."""
RESTORED_PER_SECOND = 100_000.0
"""Changelog records that one worker brings back in a second."""


@dataclass(frozen=True, slots=True)
class ExactlyOnce:
    """What exactly-once costs.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["exactly-once"].calculate(**FORMULAS["exactly-once"].example).latency_ms
    70.0
    """

    transactions_per_second: float = figure(
        "transactions/s",
        "workers x 1000 / (commit interval + commit): a worker has one producer",
    )
    busy_share: float = figure(
        "of the time", "commit / (commit interval + commit): what a worker spends committing"
    )
    records_per_second: float = figure("records/s", "rate at-least-once x (1 - busy share)")
    latency_ms: float = figure(
        "ms", "commit interval / 2 + commit: how long a result waits on average to be readable"
    )


@dataclass(frozen=True, slots=True)
class Restore:
    """How long a store is unavailable after its worker is gone.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["restore"].calculate(**FORMULAS["restore"].example)
    Restore(records=15000000.0, parallel=4, restore_seconds=37.5, away_seconds=82.5)
    """

    records: float = figure(
        "records", "keys x (1 + dirty share), less what the local checkpoint covers"
    )
    parallel: int = figure("workers", "at most one for each partition of the changelog")
    restore_seconds: float = figure("s", "records / (rate of a worker x workers that restore)")
    away_seconds: float = figure("s", "until the group notices, and then the restore")


@dataclass(frozen=True, slots=True)
class Partitions:
    """How many partitions and slots a rate needs.

    >>> from penstock.capacity import FORMULAS
    >>> FORMULAS["partitions"].calculate(**FORMULAS["partitions"].example)
    Partitions(slots=4, partitions=8, tasks=8, catch_up_seconds=90.0)
    """

    slots: int = figure("slots", "rate x repartitions / (rate of a slot x load), rounded up")
    partitions: int = figure("partitions", "slots x growth: a slot without a task is idle")
    tasks: int = figure("tasks", "partitions x sub-topologies")
    catch_up_seconds: float = figure(
        "s", "outage x rate / (capacity - rate): until the lag of an outage is gone"
    )


def exactly_once(
    *,
    records_per_second: float,
    commit_interval_ms: float = 100,
    commit_ms: float = COMMIT_MS,
    workers: int = 1,
) -> ExactlyOnce:
    """Estimate throughput and latency under exactly-once, by the throughput at-least-once.

    A worker commits all its tasks in one transaction each commit interval, so what it costs depends
    on the interval, not on records or batches.

    >>> from penstock.capacity import exactly_once
    >>> cost = exactly_once(records_per_second=100_000, commit_interval_ms=100, commit_ms=20)
    >>> f"{cost.records_per_second:,.0f}/s, {cost.busy_share:.0%} of the time"
    '83,333/s, 17% of the time'
    """
    check_positive(commit_interval_ms=commit_interval_ms, workers=workers)
    check_not_negative(records_per_second=records_per_second, commit_ms=commit_ms)
    period_ms = commit_interval_ms + commit_ms
    share = commit_ms / period_ms
    return ExactlyOnce(
        workers * 1000 / period_ms,
        share,
        records_per_second * (1 - share),
        commit_interval_ms / 2 + commit_ms,
    )


def restore(
    *,
    keys: float,
    partitions: int,
    workers: int,
    dirty_share: float = 0.5,
    checkpoint_share: float = 0,
    records_per_second: float = RESTORED_PER_SECOND,
    session_timeout_ms: float = 45_000,
) -> Restore:
    """Estimate how long restoring takes; `records_per_second` is that of one worker.

    A changelog is compacted, but not at once: it holds up to `dirty_share` more records than keys.
    A worker that comes back to its disk has a checkpoint and reads only what is newer
    (`checkpoint_share` of the records need not be read again).

    >>> from penstock.capacity import restore
    >>> away = restore(keys=10_000_000, partitions=8, workers=4)
    >>> f"{away.restore_seconds:.0f} s to restore, {away.away_seconds:.0f} s away"
    '38 s to restore, 82 s away'
    """
    check_positive(partitions=partitions, workers=workers, records_per_second=records_per_second)
    check_not_negative(keys=keys, dirty_share=dirty_share, session_timeout_ms=session_timeout_ms)
    if not 0 <= checkpoint_share <= 1:
        msg = f"checkpoint_share must be from 0 to 1; got {checkpoint_share}"
        raise ValueError(msg)
    records = keys * (1 + dirty_share) * (1 - checkpoint_share)
    parallel = min(partitions, workers)
    seconds = records / (records_per_second * parallel)
    return Restore(records, parallel, seconds, session_timeout_ms / 1000 + seconds)


def partitions(
    *,
    records_per_second: float,
    slot_records_per_second: float,
    load: float = 0.6,
    repartitions: int = 0,
    subtopologies: int = 1,
    growth: float = 2,
    outage_seconds: float = 60,
) -> Partitions:
    """Return how many slots and partitions a rate needs.

    `load` is how busy a slot may be: the rest is for peaks, commits and catching up. A repartition
    step writes and reads each record again. Partitions cannot be added to a topic with keyed state
    behind it later, so `growth` times as many as slots are planned now.

    >>> from penstock.capacity import partitions
    >>> needed = partitions(records_per_second=120_000, slot_records_per_second=50_000)
    >>> needed.slots, needed.partitions
    (4, 8)
    """
    check_positive(slot_records_per_second=slot_records_per_second, load=load, growth=growth)
    check_not_negative(
        records_per_second=records_per_second,
        repartitions=repartitions,
        outage_seconds=outage_seconds,
    )
    if load > 1:
        msg = f"load must be at most 1; got {load}"
        raise ValueError(msg)
    work = records_per_second * (1 + repartitions)
    slots = max(1, math.ceil(work / (slot_records_per_second * load)))
    count = math.ceil(slots * growth)
    spare = slots * slot_records_per_second - work
    catch_up = outage_seconds * work / spare if spare > 0 else math.inf
    return Partitions(slots, count, count * subtopologies, catch_up)

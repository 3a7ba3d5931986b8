"""What is open in time: windows of a stream time, and the partitions that hold time back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock._engine.planner.tasks import Partition

IDLE_SECONDS = 10.0
BEHIND_MS = 10_000
HELD_MAX = 50
"""How many partitions are named."""


@dataclass(frozen=True, slots=True)
class TaskTime:
    """The time of one task, and for how long each of its inputs had no new record."""

    task: str
    subtopology: int
    stream_time: int | None
    lag: int | None
    idle_seconds: Mapping[Partition, float]


def open_windows(facts: Mapping[str, Any], stream_time: int) -> tuple[int, int] | None:
    """Return how many windows are open at a stream time and the stream time at which the next one
    closes; None if that is not known without the rows: of sessions, sliding and unlimited windows,
    and of joins. Of these `open_ms` says how far back something may be open.
    """
    size, advance, grace = facts.get("size"), facts.get("advance"), facts["grace"]
    if size is None or advance is None:
        return None
    # A window closes when stream time has reached its end plus grace.
    first = max(0, (stream_time - size - grace) // advance * advance + advance)
    last = stream_time // advance * advance
    return (last - first) // advance + 1, first + size + grace


def held_back(times: Iterable[TaskTime], windowed: frozenset[int]) -> list[dict[str, Any]]:
    """Return the idle partitions that hold time back, those with the largest gap first.

    A task of a windowed program without new records keeps its windows open, however far the other
    tasks have come.
    """
    times = list(times)
    newest: dict[int, int] = {}
    for one in times:
        if one.stream_time is not None:
            newest[one.subtopology] = max(newest.get(one.subtopology, 0), one.stream_time)
    found: list[dict[str, Any]] = []
    for one in times:
        gap = newest.get(one.subtopology, 0) - (one.stream_time or 0)
        idle = {p: s for p, s in one.idle_seconds.items() if s >= IDLE_SECONDS}
        behind = (
            one.subtopology in windowed
            and one.stream_time is not None
            and gap >= BEHIND_MS
            and not one.lag
            and len(idle) == len(one.idle_seconds)
        )
        if behind:
            found += [
                {
                    "task": one.task,
                    "topic": topic,
                    "partition": partition,
                    "idle_seconds": round(seconds),
                    "behind_ms": gap,
                }
                for (topic, partition), seconds in idle.items()
            ]
    found.sort(key=lambda one: int(one["behind_ms"]), reverse=True)
    return found[:HELD_MAX]

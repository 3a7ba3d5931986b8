"""What the right answer is, in plain Python: written from the semantics, without Penstock's code.

Input times rise within each partition, so nothing is ever late, and the answer does not depend on
how the inputs interleave: sequences are those of one key, joins of two streams are sets of matches,
tables are compared by their last rows, and a profile changes only while no event is under way.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from tests.chaos.program import GAP_MS, GRACE_MS, NEAR_MS, WINDOW_MS


@dataclass
class _Session:
    start: int
    end: int
    count: int

    def shown(self, count: int | None) -> str:
        return f"{self.start}-{self.end}={count}"


@dataclass
class Model:
    """The answers to all that was written so far. A lock keeps readers and the writer apart."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    records: int = 0
    written_at: dict[tuple[str, int], float] = field(default_factory=dict)
    """When each event, (key, its number), was written."""
    counts: Counter[str] = field(default_factory=Counter)
    letters: Counter[str] = field(default_factory=Counter)
    joined: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    sessions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    matches: set[tuple[str, str]] = field(default_factory=set)
    profiles: dict[str, str] = field(default_factory=dict)
    plans: dict[str, str] = field(default_factory=dict)
    orders: dict[str, str] = field(default_factory=dict)
    customers: dict[str, str] = field(default_factory=dict)
    blobs: Counter[str] = field(default_factory=Counter)
    dead: int = 0
    """Dead letters: poison records, and records whose output is too large."""
    _windows: Counter[tuple[str, int]] = field(default_factory=Counter)
    _open_sessions: dict[str, _Session] = field(default_factory=dict)
    _times: dict[str, dict[str, list[tuple[int, int]]]] = field(
        default_factory=lambda: {"events": defaultdict(list), "clicks": defaultdict(list)}
    )
    _partitions: dict[str, int] = field(default_factory=dict)
    _stream_times: Counter[int] = field(default_factory=Counter)

    def add_event(self, key: str, timestamp: int, partition: int, at: float) -> int:
        """Add the next event of a key; return its number."""
        with self.lock:
            self.records += 1
            self.counts[key] += 1
            number = self.counts[key]
            self.written_at[key, number] = at
            self.letters[key[0]] += 1
            self.joined[key].append(f"{number}|{self.profiles.get(key)}|{self.plans.get(key[0])}")
            self._windows[key, timestamp - timestamp % WINDOW_MS] += 1
            self._partitions[key] = partition
            self._stream_times[partition] = max(self._stream_times[partition], timestamp)
            self._extend_session(key, timestamp)
            self._match("events", key, number, timestamp)
            return number

    def add_click(self, key: str, number: int, timestamp: int) -> None:
        """Add a record of the stream that events are joined with."""
        with self.lock:
            self.records += 1
            self._match("clicks", key, number, timestamp)

    def add_row(self, table: str, key: str, value: str) -> None:
        """Change a row of a table."""
        with self.lock:
            self.records += 1
            getattr(self, table)[key] = value

    def add_dead(self) -> None:
        """Add a record that ends as a dead letter."""
        with self.lock:
            self.records += 1
            self.dead += 1

    def add_blob(self, key: str, size: int) -> None:
        """Add a record whose output has so many letters."""
        with self.lock:
            self.records += 1
            self.blobs[f"{key}:{size}"] += 1

    def placed(self) -> dict[str, str]:
        """Return the rows of the foreign-key join."""
        with self.lock:
            found = {
                key: (order, self.customers.get(order.split(":")[0]))
                for key, order in self.orders.items()
            }
            return {
                key: f"{order} by {customer}"
                for key, (order, customer) in found.items()
                if customer is not None
            }

    def long_closed_windows(self) -> set[tuple[str, str]]:
        """Return the windows that were closed a window ago: operators that emit on close look for
        closed windows when a window ends, which is later if the grace is no multiple of its size.
        """
        return self.closed_windows(late_ms=WINDOW_MS)

    def closed_windows(self, late_ms: int = 0) -> set[tuple[str, str]]:
        """Return the windows that stream time has closed, each with its count."""
        with self.lock:
            return {
                (key, f"{start}-{start + WINDOW_MS}={count}")
                for (key, start), count in self._windows.items()
                if start + WINDOW_MS + GRACE_MS + late_ms
                <= self._stream_times[self._partitions[key]]
            }

    def _extend_session(self, key: str, timestamp: int) -> None:
        session = self._open_sessions.get(key)
        if session is None or timestamp - session.end > GAP_MS:
            session = _Session(timestamp, timestamp, 0)
        else:
            self.sessions[key].append(session.shown(None))
        extended = _Session(session.start, timestamp, session.count + 1)
        self.sessions[key].append(extended.shown(extended.count))
        self._open_sessions[key] = extended

    def _match(self, side: str, key: str, number: int, timestamp: int) -> None:
        self._times[side][key].append((number, timestamp))
        other = self._times["clicks" if side == "events" else "events"][key]
        # Times rise, so only the youngest are near; the others are never asked for again.
        while other and other[0][1] < timestamp - NEAR_MS:
            other.pop(0)
        for its_number, its_time in other:
            if abs(timestamp - its_time) <= NEAR_MS:
                pair = (number, its_number) if side == "events" else (its_number, number)
                self.matches.add((key, f"{pair[0]}&{pair[1]}"))

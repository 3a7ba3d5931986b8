"""How many records a worker processes before it polls the group again, and when it commits early.

A member that does not poll for `max.poll.interval.ms` loses its tasks, and a transaction that stays
open beyond `transaction.timeout.ms` is aborted: in both cases all uncommitted work is dropped. A
slow function would lose its work at every step, for ever. So a step ends at a fraction of these
times, one record at a time if need be, and where records are slow on their own each step is
committed.
Java: StreamThread halves the number of records per iteration instead.
"""

from __future__ import annotations

RECORDS_PER_STEP = 2000

_STEP_SECONDS = 1.0
_STEP_SHARE = 1 / 8
_SLOW_RECORD_SHARE = 1 / 3
_SLOW_SECONDS = 30.0
_WARN_SECONDS = 60.0
_UNNAMED_MAX = 3
_NO_TIME = 1e-9

# More than anything is put off by: a clock that shows less has been set back.
_SET_BACK_MS = 1000


def is_due(now_ms: int, last_ms: int, interval_ms: int) -> bool:
    """Yes if the interval is over, or the clock was set back: nothing waits until it has caught up.

    Java waits: StreamThread.maybeCommit compares with the wall clock alone.
    """
    elapsed_ms = now_ms - last_ms
    return elapsed_ms >= interval_ms or elapsed_ms < -_SET_BACK_MS


class Pace:
    """Follows how long records take. Times are in seconds of a monotonic clock."""

    def __init__(self, poll_interval_seconds: float, transaction_seconds: float | None) -> None:
        self._poll_interval_seconds = poll_interval_seconds
        bound = min(poll_interval_seconds, transaction_seconds or poll_interval_seconds)
        self._slow_record_seconds = bound * _SLOW_RECORD_SHARE
        self.step_seconds = min(_STEP_SECONDS, bound * _STEP_SHARE)
        """How long a step may take, if a single record does not take longer."""
        self._seconds_per_record = 0.0
        self._flush_seconds_per_record = 0.0
        self._since_commit = 0
        self._slow_until = 0.0
        self._unnamed = 0
        self._warn_after = 0.0

    def took(self, records: int, seconds: float, now: float) -> None:
        """Add a measurement: `records` records took `seconds`."""
        if not records:
            return
        self._since_commit += records
        measured = seconds / records
        # Upwards at once, downwards slowly: the next record may be a slow one again.
        self._seconds_per_record = max(measured, (self._seconds_per_record + measured) / 2)
        # A step looks at the clock after each record: what is over its time was the last one.
        if max(measured, seconds - self.step_seconds) >= self._slow_record_seconds:
            self._slow_until = now + _SLOW_SECONDS

    def flushed(self, seconds: float) -> None:
        """Add a measurement: the caches filled since the last commit took `seconds` to flush.
        Behind a cache a function runs at the commit, once for each key.
        """
        if self._since_commit:
            measured = seconds / self._since_commit
            before = self._flush_seconds_per_record
            self._flush_seconds_per_record = max(measured, (before + measured) / 2)
        self._since_commit = 0

    def commit_is_full(self) -> bool:
        """Return whether a commit of more records would last too long."""
        return self._since_commit * self._flush_seconds_per_record >= self.step_seconds

    def is_slow(self, now: float) -> bool:
        """Return whether a record took so long lately that each step is to be committed: outputs
        are sent at its end, so no transaction is open while the next record is processed.
        """
        return now < self._slow_until

    def limit(self) -> int:
        """Return how many records may be processed at once."""
        fitting = self.step_seconds / (self._seconds_per_record or _NO_TIME)
        in_commit = self.step_seconds / (self._flush_seconds_per_record or _NO_TIME)
        left = in_commit - self._since_commit
        return max(1, min(RECORDS_PER_STEP, int(fitting), int(left)))

    def warning(self, function: str | None, now: float) -> str | None:
        """Return a warning about a slow function, None if none is due."""
        seconds = max(self._seconds_per_record, self._flush_seconds_per_record)
        if seconds * RECORDS_PER_STEP < self._poll_interval_seconds or now < self._warn_after:
            return None
        if function is None and self._unnamed < _UNNAMED_MAX:
            # The watch has not seen yet which one it is; the next step may know.
            self._unnamed += 1
            return None
        self._warn_after = now + _WARN_SECONDS
        slow = (
            f"function {function or 'of the topology'} takes {seconds:.3g} s for each record; "
            "a step is cut short so that no work is lost"
        )
        if seconds * 2 < self._poll_interval_seconds:
            return slow
        return (
            f"{slow}, but a record that takes longer than 'consumer.max.poll.interval.ms' "
            f"({self._poll_interval_seconds:.0f} s) costs this worker its tasks: make it quicker "
            "or raise the setting"
        )

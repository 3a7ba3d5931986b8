"""A broker that all users of a data directory share: of this process, and of others."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from penstock._clock import monotonic
from penstock._engine.kafka.local_broker import loopback
from penstock._engine.kafka.local_broker.broker import (
    LocalBroker,
    default_data_dir,
    print_to_stderr,
)
from penstock._engine.kafka.local_broker.directory_lock import DirectoryInUseError
from penstock._engine.kafka.local_broker.jars import Progress

_SHARE_SECONDS = 15.0
_POLL_SECONDS = 0.1


@contextmanager
def shared_broker(
    data_dir: Path | str | None = None, *, progress: Progress = print_to_stderr
) -> Iterator[str]:
    """Return the bootstrap servers of the broker that runs in `data_dir` already (another
    terminal's, say) or of a new one, which ends with the block.
    """
    broker = LocalBroker(data_dir or default_data_dir(), progress=progress)
    with _shared_here.used(broker) as (servers, is_new):
        progress(local_broker_line(servers, broker.data_dir, is_new=is_new))
        yield servers


def local_broker_line(servers: str, data_dir: Path | None = None, *, is_new: bool) -> str:
    """Return the line by which every command says that it is on the local broker."""
    whose = "" if is_new else "that runs already "
    return (
        f"no bootstrap.servers given: using the local broker at {servers} {whose}"
        f"(data in {data_dir or default_data_dir()})"
    )


class _SharedHere:
    """The embedded brokers of this process: the last user of one stops it, not the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started: dict[Path, LocalBroker] = {}
        self._users: Counter[Path] = Counter()

    @contextmanager
    def used(self, broker: LocalBroker) -> Iterator[tuple[str, bool]]:
        """Yield the servers of the broker of a data directory, and whether it was started now."""
        home = broker.data_dir
        with self._lock:
            running = _start_unless_one_runs(broker)
            if running is None:
                self._started[home] = broker
            self._users[home] += 1
        try:
            yield running or broker.bootstrap_servers, running is None
        finally:
            with self._lock:
                self._users[home] -= 1
                last = None if self._users[home] else self._started.pop(home, None)
                if last is not None:
                    last.stop()


_shared_here = _SharedHere()


def _start_unless_one_runs(broker: LocalBroker) -> str | None:
    deadline = monotonic() + _SHARE_SECONDS
    while True:
        try:
            broker.start()
        except DirectoryInUseError as error:
            servers = error.bootstrap_servers
            if servers and loopback.broker_answers(int(servers.rpartition(":")[2])):
                return servers
            # It is just starting, or it is ending and the directory becomes ours.
            if monotonic() > deadline:
                raise
            time.sleep(_POLL_SECONDS)
        else:
            return None

"""The drivers of one application: each announces itself and its tasks to the others.

An announcement is a record of the task topic (`kafka/application/notices.py`). A driver announces
itself when it starts and asks the others to do the same. From then on each announces every change,
and a few times in a session that nothing has changed, in a few bytes. An announcement holds for a
session of its sender from the moment it is read: what a killed driver has said is forgotten in
time, no clocks are compared, and records of earlier runs are not read at all. A driver that is
alone writes when it starts and when it ends, and nothing in between.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from penstock._clock import monotonic
from penstock._engine.control.protocol import wire

_log = logging.getLogger(__name__)

_IN_A_SESSION = 4
"""How many times in a session a driver announces itself."""
_CHANGE_SECONDS = 0.2
_SESSION_SECONDS_MAX = 3600.0


@dataclass(frozen=True, slots=True)
class Driver:
    """A driver as it announces itself. It has no secret: the task topic is no safe."""

    id: str
    name: str = ""
    """Its machine and process, for people."""
    session_seconds: float = 45.0
    """For how long the announcement holds."""
    host: tuple[str, int] | None = None
    """Its `application.server`, or where its HTTP server listens."""
    url: str | None = None
    """Where its HTTP server is asked; None: it has none."""
    machine: str | None = None
    """The machine that alone reaches `url`; None: all do."""
    tasks: dict[str, str] = field(default_factory=dict)
    """The tasks of its workers, each with what it does: running or restoring."""
    standbys: tuple[str, ...] = ()
    """The tasks of which its workers keep standby copies."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a driver writes to the task topic, under its id."""

    number: int
    """Counts the announcements in full."""
    driver: Driver | None = None
    """None: nothing has changed since the announcement with this number."""
    asks: bool = False
    """Whether the others are to announce themselves in full."""


@dataclass(frozen=True, slots=True)
class _Heard:
    until: float
    number: int
    driver: Driver


class Drivers:
    """This driver, and the others that it has heard of; any thread may call it."""

    def __init__(self, own: Driver) -> None:
        self.own = own
        """This driver; `everyone` has its tasks."""
        self._lock = threading.Lock()
        self._others: dict[str, _Heard] = {}
        self._announced: Driver | None = None
        self._announced_at = 0.0
        self._number = 0
        self._must_announce = self._asks = self._is_alone = True

    def others(self) -> list[Driver]:
        """Return the other drivers whose announcements hold, the latest last."""
        now = monotonic()
        with self._lock:
            return [heard.driver for heard in self._others.values() if heard.until > now]

    def everyone(self, tasks: Mapping[str, str], standbys: tuple[str, ...]) -> list[Driver]:
        """Return this driver, with the tasks that it has now, and the others."""
        return [replace(self.own, tasks=dict(tasks), standbys=standbys), *self.others()]

    def hear(self, driver_id: str, data: bytes | None) -> None:
        """Take an announcement from the task topic; None: the driver has ended."""
        if driver_id == self.own.id:
            return
        if data is None:
            with self._lock:
                self._others.pop(driver_id, None)
            return
        try:
            announcement = _read(driver_id, data)
        except wire.WireError as error:
            _log.warning("an announcement of driver=%s cannot be read: %s", driver_id, error)
            return
        with self._lock:
            self._is_alone = False
            self._must_announce |= announcement.asks
            self._take(driver_id, announcement, monotonic())

    def _take(self, driver_id: str, announcement: Announcement, now: float) -> None:
        self._others = {one: heard for one, heard in self._others.items() if heard.until > now}
        known = self._others.pop(driver_id, None)
        driver = announcement.driver
        if driver is None and known is not None and known.number == announcement.number:
            driver = known.driver
        if driver is None:
            # It must say once more what it has.
            self._must_announce = self._asks = True
            return
        seconds = driver.session_seconds
        if not 0 < seconds <= _SESSION_SECONDS_MAX:
            seconds = _SESSION_SECONDS_MAX
        self._others[driver_id] = _Heard(now + seconds, announcement.number, driver)

    def announcement(self, tasks: Mapping[str, str], standbys: tuple[str, ...]) -> bytes | None:
        """Return what is to be announced now, None if nothing is."""
        own, now = replace(self.own, tasks=dict(tasks), standbys=standbys), monotonic()
        with self._lock:
            if not self._is_due(own, now - self._announced_at):
                return None
            self._announced_at = now
            if own == self._announced and not self._must_announce:
                return wire.encode(Announcement(self._number))
            self._number += 1
            written = Announcement(self._number, own, self._asks)
            self._must_announce = self._asks = False
            self._announced = own
        return wire.encode(written)

    def announce_again(self) -> None:
        """Announce this driver once more: what was announced last did not arrive."""
        with self._lock:
            self._must_announce = self._asks = True

    def _is_due(self, own: Driver, seconds: float) -> bool:
        if self._announced is None:
            return True
        if self._must_announce:
            return seconds >= _CHANGE_SECONDS
        if self._is_alone:
            return False
        if own != self._announced:
            return seconds >= _CHANGE_SECONDS
        return seconds >= self.own.session_seconds / _IN_A_SESSION


def _read(driver_id: str, data: bytes) -> Announcement:
    announcement = wire.decode(data, Announcement)
    if announcement.driver is not None and announcement.driver.id != driver_id:
        msg = "it is under the key of another driver"
        raise wire.WireError(msg)
    return announcement

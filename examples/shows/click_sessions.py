"""Clicks: users come, click for a while and leave; some clicks come late and join two sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache

from examples.click_sessions import (
    Click,
    Session,
    click,
    session,
    settings,
    topology,
    user_session,
    windows,
)
from examples.stage.lifelike import between, chance, happens, pick
from examples.stage.show import Answer, Message, Show, Stored
from examples.stage.tables import ROWS, beside, clock, table
from penstock import Windowed

USERS = [f"user-{number:03}" for number in range(150)]
PAGES = ("home", "search", "item", "cart", "help", "checkout", "account")
VISIT_MS = 90 * 60_000
LATEST_MS = 4 * 60_000
HOUR_MS = 60 * 60_000

Sessions = dict[Windowed[str], Session]


class ClickSessions(Show):
    name = "click_sessions"
    about = "session windows that grow and join, and each session once when it is over"
    inputs = ("clicks",)
    outputs = ("open-sessions", "finished-sessions")
    rate, step_ms = 20, 6_000
    settings = settings

    def __init__(self) -> None:
        self._open: Sessions = {}
        self._finished: Sessions = {}

    topology = staticmethod(topology)

    def messages(self, number: int, at: int) -> Iterator[Message]:
        guests = [user for user in USERS if _is_here(user, at)] or USERS[:1]
        user = pick(guests, "user", number, favour=1.4)
        page = pick(PAGES, "page", number, favour=1.5)
        behind = between(0, LATEST_MS, "behind", number) if happens(0.1, "late", number) else 0
        value = click.serialize("", Click(page))
        yield Message("clicks", user.encode(), value, at - behind)

    def last(self, at: int) -> Iterator[Message]:
        """An hour later everybody is back: whatever the hour was, its sessions are over."""
        for user in USERS:
            value = click.serialize("", Click(PAGES[0]))
            yield Message("clicks", user.encode(), value, at + HOUR_MS)

    def take(self, record: Stored) -> None:
        place = user_session.deserialize("", record.key)
        value = session.deserialize("", record.value)
        assert place
        if record.topic == "finished-sessions" and value:
            self._finished[place] = value
            self._open.pop(place, None)
        elif value is None:
            self._open.pop(place, None)
        elif place not in self._finished:
            self._open[place] = value

    def lines(self) -> list[str]:
        columns = ("user", "from", "to", "clicks", "most seen")
        latest = sorted(self._open.items(), key=lambda item: -item[0].end)[:ROWS]
        finished = list(self._finished.items())[-ROWS:][::-1]
        return beside(
            table(f"OPEN SESSIONS ({len(self._open):,})", columns, map(_row, latest)),
            table(f"FINISHED ({len(self._finished):,})", columns, map(_row, finished)),
        )

    def expected(self, inputs: Iterable[Stored]) -> Answer:
        times: dict[str, list[tuple[int, str]]] = defaultdict(list)
        stream_time: dict[int, int] = defaultdict(int)
        partition_of: dict[str, int] = {}
        for record in inputs:
            user = (record.key or b"").decode()
            value = click.deserialize("", record.value)
            assert value
            times[user].append((record.timestamp, value.page))
            partition_of[user] = record.partition
            now = max(stream_time[record.partition], record.timestamp)
            stream_time[record.partition] = now
        sessions = {
            place: value for user, clicks in times.items() for place, value in _cut(user, clicks)
        }
        finished = {
            place: value
            for place, value in sessions.items()
            if place.end + windows.gap_ms + windows.grace_ms <= stream_time[partition_of[place.key]]
        }
        return {"sessions": sessions, "finished": finished}

    def actual(self, outputs: Iterable[Stored]) -> Answer:
        found: dict[str, Sessions] = {"open-sessions": {}, "finished-sessions": {}}
        for record in outputs:
            place = user_session.deserialize("", record.key)
            value = session.deserialize("", record.value)
            assert place
            if value is None:
                found[record.topic].pop(place, None)
            else:
                found[record.topic][place] = value
        return {"sessions": found["open-sessions"], "finished": found["finished-sessions"]}


def _is_here(user: str, at: int) -> bool:
    """Tell whether a user is there: for an hour and a half, one time in ten."""
    visit = (at + _shift(user)) // VISIT_MS
    return _visits(user, visit)


@cache
def _shift(user: str) -> int:
    return int(VISIT_MS * chance("shift", user))


@cache
def _visits(user: str, visit: int) -> bool:
    return happens(0.1, "visit", user, visit)


def _cut(user: str, clicks: list[tuple[int, str]]) -> Iterator[tuple[Windowed[str], Session]]:
    """Cut the clicks of a user where more than the gap lies between two of them."""
    clicks = sorted(clicks)
    first = 0
    for at in range(1, len(clicks) + 1):
        if at == len(clicks) or clicks[at][0] - clicks[at - 1][0] > windows.gap_ms:
            part = clicks[first:at]
            pages = sorted(page for _, page in part)
            value = Session(len(part), {page: pages.count(page) for page in pages})
            yield Windowed(user, part[0][0], part[-1][0]), value
            first = at


def _row(item: tuple[Windowed[str], Session]) -> tuple[object, ...]:
    place, value = item
    favourite = max(value.pages, key=lambda page: value.pages[page])
    return place.key, clock(place.start), clock(place.end), value.clicks, favourite

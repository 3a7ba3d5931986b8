"""Page views: a front page that everybody sees, users who change their tier, and guests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from examples.stage.lifelike import between, chance, happens, pick
from examples.stage.show import Answer, Message, Show, Stored
from examples.stage.tables import ROWS, beside, clock, table
from examples.user_analytics import (
    TOP,
    PageViews,
    Profile,
    Stay,
    View,
    five_minutes,
    minutes,
    number,
    page_five_minutes,
    page_minute,
    profile,
    ranking,
    settings,
    stay,
    text,
    topology,
    view,
)
from penstock import Windowed

USERS = [f"user-{number:03}" for number in range(200)]
PAGES = (
    *("/", "/news", "/sport", "/weather", "/prices", "/jobs", "/help", "/about", "/games"),
    *("/travel", "/books", "/music"),
)
TIERS = ("free", "plus", "pro")


class UserAnalytics(Show):
    name = "user_analytics"
    about = "views per minute, top pages, moving averages, views by tier: four results of one input"
    inputs = ("user-profiles", "page-views")
    outputs = ("views-per-minute", "top-pages", "stays", "views-by-tier")
    rate, step_ms = 60, 400
    settings = settings

    def __init__(self) -> None:
        self._latest: dict[str, dict[Any, Any]] = {topic: {} for topic in self.outputs}

    topology = staticmethod(topology)

    def first(self, at: int) -> Iterator[Message]:
        for user in USERS[:120]:
            yield _profile_message(user, pick(TIERS, "tier", user, favour=2), at - 60_000)

    def messages(self, number: int, at: int) -> Iterator[Message]:
        if happens(0.02, "changes", number):
            user = pick(USERS, "who changes", number)
            yield _profile_message(user, pick(TIERS, "new tier", number), at - 1)
        user = pick(USERS, "user", number, favour=1.5)
        seconds = 1 + int(240 * chance("seconds", number) ** 3)
        value = View(pick(PAGES, "page", number, favour=2.2), seconds)
        behind = between(1, 30_000, "how late", number) if happens(0.05, "late", number) else 0
        yield Message("page-views", user.encode(), view.serialize("", value), at - behind)

    def take(self, record: Stored) -> None:
        key, value = _read(record)
        if value is not None:
            self._latest[record.topic][key] = value

    def lines(self) -> list[str]:
        tops = sorted(self._latest["top-pages"].items())[-1:]
        title = f"TOP PAGES, {clock(int(tops[0][0]))}" if tops else "TOP PAGES"
        top = [(page.page, page.views) for page in (tops[0][1] if tops else [])]
        stays: dict[Windowed[str], Stay] = self._latest["stays"]
        last = max((place.start for place in stays), default=0)
        averages = sorted(
            (
                (place.key, kept.views, kept.average)
                for place, kept in stays.items()
                if place.start == last - 4 * 60_000
            ),
            key=lambda row: -row[2],
        )[:ROWS]
        tiers = sorted(self._latest["views-by-tier"].items(), key=lambda item: -item[1])
        views = sum(self._latest["views-per-minute"].values())
        left = [
            *table(title, ("page", "views"), top),
            "",
            *table(f"VIEWS BY TIER ({views:,} views)", ("tier", "views"), tiers),
        ]
        right = table("SECONDS ON A PAGE, 5 MINUTES", ("page", "views", "average"), averages)
        return beside(left, right)

    def expected(self, inputs: Iterable[Stored]) -> Answer:
        inputs = list(inputs)
        tiers: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for record in inputs:
            if record.topic == "user-profiles":
                known = profile.deserialize("", record.value)
                assert known
                tiers[(record.key or b"").decode()].append((record.timestamp, known.tier))
        counts: Counter[Windowed[str]] = Counter()
        stays: dict[Windowed[str], Stay] = defaultdict(Stay)
        by_tier: Counter[str] = Counter()
        for record in inputs:
            if record.topic != "page-views":
                continue
            seen = view.deserialize("", record.value)
            assert seen
            (window,) = minutes.windows_for(record.timestamp)
            counts[Windowed(seen.page, *window)] += 1
            for window in five_minutes.windows_for(record.timestamp):
                place = Windowed(seen.page, *window)
                stays[place] = stays[place].plus(seen)
            by_tier[_tier(tiers[(record.key or b"").decode()], record)] += 1
        return {
            "views-per-minute": dict(counts),
            "top-pages": _rankings(counts),
            "stays": dict(stays),
            "views-by-tier": dict(by_tier),
        }

    def actual(self, outputs: Iterable[Stored]) -> Answer:
        found: dict[str, dict[Any, Any]] = {topic: {} for topic in self.outputs}
        for record in outputs:
            key, value = _read(record)
            found[record.topic][key] = value
        return found


def _profile_message(user: str, tier: str, at: int) -> Message:
    value = profile.serialize("", Profile(user.title(), tier))
    return Message("user-profiles", user.encode(), value, at)


def _tier(known: list[tuple[int, str]], record: Stored) -> str:
    """Give the tier at the time of a view."""
    return next((tier for at, tier in reversed(known) if at <= record.timestamp), "guest")


def _rankings(counts: Counter[Windowed[str]]) -> dict[str, list[PageViews]]:
    pages: dict[str, list[PageViews]] = defaultdict(list)
    for place, views in counts.items():
        pages[str(place.start)].append(PageViews(place.key, views))
    return {
        minute: sorted(seen, key=lambda page: (-page.views, page.page))[:TOP]
        for minute, seen in pages.items()
    }


def _read(record: Stored) -> tuple[Any, Any]:
    topic, key, value = record.topic, record.key, record.value
    if topic == "views-per-minute":
        return page_minute.deserialize("", key), number.deserialize("", value)
    if topic == "stays":
        return page_five_minutes.deserialize("", key), stay.deserialize("", value)
    name = text.deserialize("", key)
    if topic == "top-pages":
        return name, ranking.deserialize("", value)
    return name, number.deserialize("", value)

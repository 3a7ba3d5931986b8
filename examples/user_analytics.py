"""User analytics: page views and profiles in; out come views per page and minute, the most seen
pages of each minute, how long people stay on a page, and views by the tier of the user.

    python -m examples user_analytics          live, with a front page that everybody sees
    penstock run examples/user_analytics.py    the program alone
    penstock run examples/user_analytics.py --set penstock.http.port=8080    its results over REST

It shows one program with several results: tumbling windows (views), hopping windows (averages over
five minutes, a new one each minute), a table that is grouped again (the most seen pages; a page
that falls back is taken out), and a stream joined with a table that remembers its past.
"""

from dataclasses import dataclass
from datetime import timedelta

from penstock import (
    Consumed,
    Grouped,
    Joined,
    KafkaStreams,
    KStream,
    KTable,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    Topology,
    Windowed,
    serdes,
)

TOP = 5


@dataclass
class View:
    page: str
    seconds: int
    """How long the user stayed."""


@dataclass
class Profile:
    name: str
    tier: str


@dataclass
class Stay:
    views: int = 0
    seconds: int = 0

    def plus(self, view: View) -> "Stay":
        return Stay(self.views + 1, self.seconds + view.seconds)

    @property
    def average(self) -> float:
        return self.seconds / self.views


@dataclass
class PageViews:
    page: str
    views: int


Ranking = list[PageViews]

text, number = serdes.string(), serdes.long()
view, profile, stay = serdes.json(View), serdes.json(Profile), serdes.json(Stay)
page_views, ranking = serdes.json(PageViews), serdes.json(Ranking)

# Views are counted by page in other tasks than those that read them by user, at their own pace: a
# grace this long lets one be far behind another, as when an application has stood still.
grace = timedelta(hours=2)
minutes = TimeWindows.of_size(timedelta(minutes=1), grace=grace)
five_minutes = TimeWindows.of_size(timedelta(minutes=5), advance=timedelta(minutes=1), grace=grace)
page_minute = serdes.time_windowed(text, minutes.size_ms)
page_five_minutes = serdes.time_windowed(text, five_minutes.size_ms)

settings = {"application.id": "user-analytics", "processing.guarantee": "exactly_once_v2"}


def topology() -> Topology:
    builder = StreamsBuilder()
    views = builder.stream("page-views", Consumed(key=text, value=view))
    profiles = builder.table(
        "user-profiles",
        Consumed(key=text, value=profile),
        Materialized("profiles", text, profile, history_retention=grace),
    )
    by_page = views.group_by(lambda user, view: view.page, Grouped("by-page", text, view))

    counts = by_page.windowed_by(minutes).count(Materialized("views-per-minute", text, number))
    counts.to_stream().to("views-per-minute", Produced(page_minute, number))
    most_seen(counts).to_stream().to("top-pages", Produced(text, ranking))

    stays = by_page.windowed_by(five_minutes).aggregate(
        Stay, lambda page, view, stay: stay.plus(view), Materialized("stays", text, stay)
    )
    stays.to_stream().to("stays", Produced(page_five_minutes, stay))

    views_by_tier(views, profiles).to_stream().to("views-by-tier", Produced(text, number))
    return builder.build()


def most_seen(counts: KTable[Windowed[str], int]) -> KTable[str, Ranking]:
    """Rank the pages of each minute."""
    return (
        counts.group_by(
            lambda page, views: (str(page.start), PageViews(page.key, views)),
            Grouped("by-minute", text, page_views),
        )
        .aggregate(
            list,
            lambda minute, page, pages: [*pages, page],
            lambda minute, page, pages: [other for other in pages if other.page != page.page],
            Materialized("pages-by-minute", text, ranking),
        )
        .map_values(lambda pages: sorted(pages, key=lambda page: (-page.views, page.page))[:TOP])
    )


def views_by_tier(views: KStream[str, View], profiles: KTable[str, Profile]) -> KTable[str, int]:
    """Count the views by what kind of user it was when the page was seen."""
    return (
        views.left_join(
            profiles,
            lambda view, profile: profile.tier if profile else "guest",
            Joined("tier-of-user", text, view, profile),
        )
        .group_by(lambda user, tier: tier, Grouped("by-tier", text, text))
        .count(Materialized("views-by-tier", text, number))
    )


if __name__ == "__main__":
    KafkaStreams(topology(), settings).run()

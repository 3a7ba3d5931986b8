"""Clicks by session: clicks in; out come the sessions of each user, while they last and when they
are over.

    python -m examples click_sessions          live, with users who come, click and leave
    penstock run examples/click_sessions.py    the program alone

It shows session windows: a click within 30 minutes of another is of the same session, and one that
comes late may join two sessions into one. `open-sessions` follows every change (a session that
became part of a longer one is deleted: its value is null); `finished-sessions` has each session
once, when nothing can join it any more.
"""

from dataclasses import dataclass, field
from datetime import timedelta

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    SessionWindows,
    StreamsBuilder,
    Suppressed,
    Topology,
    serdes,
)


@dataclass
class Click:
    page: str


@dataclass
class Session:
    clicks: int = 0
    pages: dict[str, int] = field(default_factory=dict)

    def plus(self, click: Click) -> "Session":
        pages = {**self.pages, click.page: self.pages.get(click.page, 0) + 1}
        return Session(self.clicks + 1, dict(sorted(pages.items())))

    def joined_with(self, other: "Session") -> "Session":
        pages = dict(self.pages)
        for page, clicks in other.pages.items():
            pages[page] = pages.get(page, 0) + clicks
        return Session(self.clicks + other.clicks, dict(sorted(pages.items())))


text = serdes.string()
click, session = serdes.json(Click), serdes.json(Session)
user_session = serdes.session_windowed(text)

windows = SessionWindows.of_inactivity_gap(timedelta(minutes=30), grace=timedelta(minutes=5))

settings = {"application.id": "click-sessions", "processing.guarantee": "exactly_once_v2"}


def topology() -> Topology:
    builder = StreamsBuilder()
    sessions = (
        builder.stream("clicks", Consumed(key=text, value=click))
        .group_by_key(Grouped(key=text, value=click))
        .windowed_by(windows)
        .aggregate(
            Session,
            lambda user, click, session: session.plus(click),
            lambda user, one, other: one.joined_with(other),
            Materialized("sessions", key=text, value=session),
        )
    )
    out = Produced(key=user_session, value=session)
    sessions.to_stream().to("open-sessions", out)
    finished = sessions.suppress(Suppressed.until_window_closes(name="finished"))
    finished.to_stream().to("finished-sessions", out)
    return builder.build()


if __name__ == "__main__":
    KafkaStreams(topology(), settings).run()

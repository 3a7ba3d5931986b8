"""What users do on a site: a program for `penstock backfill` and `penstock run`.

Visits of each user, views of each page by the minute (which needs a repartition topic), users who
spend too much at a time, and a profile of each user joined from two tables.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    Windowed,
    serdes,
)

TEXT, LONG = serdes.string(), serdes.long()
MINUTE_MS = 60_000
# A live task may read one partition long before the next: nothing shall be too late for its window.
GRACE_MS = 24 * 60 * MINUTE_MS
TOO_MUCH = 900
# While this file is there, page views wait: a test that kills the program is never too late.
HOLD = os.environ.get("USER_ANALYTICS_HOLD")


def by_minute(window: Windowed[str], count: int) -> tuple[str, int]:
    while HOLD and Path(HOLD).exists():
        time.sleep(0.1)
    return f"{window.key}@{window.start}", count


builder = StreamsBuilder()
events = builder.stream("events", Consumed(TEXT, serdes.json()))
by_user = events.group_by_key(Grouped("by-user", TEXT, serdes.json()))

visits = by_user.count(Materialized("visits", TEXT, LONG))
visits.to_stream().to("user-visits", Produced(TEXT, LONG))

spent = by_user.aggregate(
    int, lambda user, event, total: total + event["amount"], Materialized("spent", TEXT, LONG)
)
visits.join(spent, lambda count, total: f"{count} visits, {total} spent").to_stream().to(
    "profiles", Produced(TEXT, TEXT)
)

(
    events.map(lambda user, event: (event["page"], "view"))
    .group_by_key(Grouped("by-page", TEXT, TEXT))
    .windowed_by(TimeWindows.of_size(MINUTE_MS, grace=GRACE_MS))
    .count(Materialized("views", TEXT, LONG))
    .to_stream()
    .map(by_minute)
    .to("page-views", Produced(TEXT, LONG))
)

(
    by_user.windowed_by(TimeWindows.of_size(MINUTE_MS, grace=GRACE_MS))
    .aggregate(
        int,
        lambda user, event, total: total + event["amount"],
        Materialized("spent-by-minute", TEXT, LONG),
    )
    .to_stream()
    .filter(lambda window, total: total > TOO_MUCH)
    .map(lambda window, total: (f"{window.key}@{window.start}", total))
    .to("alerts", Produced(TEXT, LONG))
)

SETTINGS = {
    "application.id": "user-analytics",
    "processing.guarantee": "exactly_once_v2",
    # Every update is told, so that each record can be counted.
    "statestore.cache.max.bytes": 0,
    # The events are old: a broker would soon delete them from the changelogs of windows.
    "windowstore.changelog.additional.retention.ms": 100 * 365 * 24 * 3_600_000,
}

if __name__ == "__main__":
    KafkaStreams(builder.build(), SETTINGS).run()

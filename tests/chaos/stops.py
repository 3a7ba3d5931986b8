"""Faults after which an application must stop and say why: there is no right way to go on.

Each ends its campaign: a clear stop is the right outcome, silence is the wrong one.
"""

from __future__ import annotations

import random
import time
from typing import Final

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions

from tests.chaos.campaign import Campaign
from tests.chaos.faults import Inject

STOP_SECONDS: Final = 120.0


def added_partitions(campaign: Campaign, _chance: random.Random) -> str:
    """Add partitions to an input: keys move to other partitions, away from their state."""
    topic = f"{campaign.lane.place.app}-events"
    admin = AdminClient({"bootstrap.servers": campaign.cluster.direct})
    for made in admin.create_partitions([NewPartitions(topic, 6)]).values():
        made.result()
    return _clear_stop(campaign, topic)


def deleted_input(campaign: Campaign, _chance: random.Random) -> str:
    """Delete a topic that is read."""
    return _deleted(campaign, f"{campaign.lane.place.app}-clicks")


def deleted_changelog(campaign: Campaign, _chance: random.Random) -> str:
    """Delete the changelog of a store."""
    return _deleted(campaign, f"{campaign.lane.place.app}-counts-changelog")


def _deleted(campaign: Campaign, topic: str) -> str:
    admin = AdminClient({"bootstrap.servers": campaign.cluster.direct})
    if not topic.endswith("changelog"):
        campaign.load.pause()  # the load would wait for the topic for ever
    for deleted in admin.delete_topics([topic]).values():
        deleted.result()
    return _clear_stop(campaign, topic)


def _clear_stop(campaign: Campaign, topic: str) -> str:
    """Wait until a worker has ended with the topic's name in its last words."""
    begin, known = time.monotonic(), len(campaign.lane.deaths)
    while time.monotonic() < begin + STOP_SECONDS:
        for death in campaign.lane.deaths[known:]:
            if topic in death.said:
                last = death.said.strip().splitlines()[-1]
                return f"stopped after {time.monotonic() - begin:.0f} s: {last[:300]}"
        time.sleep(0.2)
    said = [death.said.strip().splitlines()[-1:] for death in campaign.lane.deaths[known:]]
    msg = f"no clear stop in {STOP_SECONDS:.0f} s: nothing names {topic!r}; {said[:2]}"
    raise AssertionError(msg)


STOPS: Final[dict[str, Inject]] = {
    function.__name__.replace("_", "-"): function
    for function in (added_partitions, deleted_input, deleted_changelog)
}

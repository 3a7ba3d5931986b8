"""The user analytics example, in the test driver."""

from __future__ import annotations

from examples.user_analytics import (
    PageViews,
    Profile,
    Stay,
    View,
    number,
    page_five_minutes,
    page_minute,
    profile,
    ranking,
    stay,
    text,
    topology,
    view,
)
from penstock import Windowed
from penstock.testing import TopologyTestDriver

MINUTE = 60_000


def test_one_input_has_four_results() -> None:
    with TopologyTestDriver(topology()) as driver:
        profiles = driver.create_input_topic("user-profiles", text, profile)
        views = driver.create_input_topic("page-views", text, view)
        profiles.pipe_input("ada", Profile("Ada", "pro"), timestamp=0)
        views.pipe_input("ada", View("/", 10), timestamp=1)
        views.pipe_input("bob", View("/news", 4), timestamp=2)
        views.pipe_input("ada", View("/news", 6), timestamp=3)
        views.pipe_input("ada", View("/", 30), timestamp=MINUTE)

        counts = driver.create_output_topic("views-per-minute", page_minute, number)
        assert counts.read_key_values_to_dict() == {
            Windowed("/", 0, MINUTE): 1,
            Windowed("/news", 0, MINUTE): 2,
            Windowed("/", MINUTE, 2 * MINUTE): 1,
        }
        tops = driver.create_output_topic("top-pages", text, ranking)
        assert tops.read_key_values_to_dict() == {
            "0": [PageViews("/news", 2), PageViews("/", 1)],
            "60000": [PageViews("/", 1)],
        }
        stays = driver.create_output_topic("stays", page_five_minutes, stay)
        # No window begins before time begins: the first ones have but one start.
        assert stays.read_key_values_to_dict() == {
            Windowed("/", 0, 5 * MINUTE): Stay(2, 40),
            Windowed("/", MINUTE, 6 * MINUTE): Stay(1, 30),
            Windowed("/news", 0, 5 * MINUTE): Stay(2, 10),
        }
        tiers = driver.create_output_topic("views-by-tier", text, number)
        assert tiers.read_key_values_to_dict() == {"pro": 3, "guest": 1}


def test_a_page_that_falls_back_leaves_the_ranking() -> None:
    with TopologyTestDriver(topology()) as driver:
        views = driver.create_input_topic("page-views", text, view)
        tops = driver.create_output_topic("top-pages", text, ranking)
        for page in ("a", "b", "c", "d", "e", "f", "f"):
            views.pipe_input("ada", View(page, 1), timestamp=1)
        last = tops.read_key_values_to_dict()["0"]
        assert last == [PageViews("f", 2), *(PageViews(page, 1) for page in "abcd")]

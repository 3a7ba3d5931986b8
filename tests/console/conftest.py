"""One browser for each module of tests, and an application with a server for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penstock._engine.http.console import feed, rates
from tests.console.browser import Browser
from tests.console.shown import Shown
from tests.console.simulated import Simulated


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as opened, pytest.MonkeyPatch.context() as patch:
        # What takes a second or two otherwise is seen sooner.
        patch.setattr(feed, "LOOK_SECONDS", 0.2)
        patch.setattr(rates, "WINDOW_SECONDS", 0.3)
        yield opened


@pytest.fixture
def shown(browser: Browser) -> Iterator[Shown]:
    made = Shown(browser, Simulated(partitions=4, workers=3))
    yield made
    made.close()

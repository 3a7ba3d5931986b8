"""Takes the pictures of the console's page: `python -m scripts.pictures.console`.

It is the real page in a Chromium, of an application that is simulated: what one node sends, the
next one gets. Fonts and renderers differ from machine to machine, so no test compares these
pictures.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock._engine.http.access import Access
from penstock._engine.http.listening import Listening
from penstock._engine.http.server import HttpServer
from penstock._engine.topology.topology import Topology
from tests.console.browser import Browser, Page
from tests.console.simulated import Simulated

FOLDER = Path(__file__).parents[2] / "docs" / "assets" / "console"

_PROGRAM = """
from datetime import timedelta
from penstock import (
    Grouped, Materialized, Named, Produced, StreamsBuilder, TimeWindows, serdes
)

text, number = serdes.string(), serdes.long()
windows = TimeWindows.of_size(timedelta(minutes=5), grace=timedelta(minutes=2))

builder = StreamsBuilder()
orders = builder.stream("orders")
paid = orders.filter(lambda key, order: order.paid, named=Named("paid-orders"))
paid.map_values(lambda order: order.invoice).to("invoices")
(
    paid.group_by(lambda key, order: order.customer, Grouped(name="customer"))
    .windowed_by(windows)
    .count(Materialized("orders-per-customer"))
    .to_stream()
    .select_key(lambda windowed, count: windowed.key)
    .to("customer-counts", Produced(key=text, value=number))
)
topology = builder.build()
"""
_FILE = "/app/shop.py"
_SECONDS = 4
_SETTLE_SECONDS = 2.5
"""Bars glide to their new length."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: which view, how large, and what is done before."""

    tab: int
    width: int
    height: int
    dark: bool = False
    before: str = "true"
    restores: bool = False
    """Whether a task is restored meanwhile."""


_DETAILS = (
    "document.querySelector('[aria-label*=paid-orders]').dispatchEvent(new MouseEvent('click'))"
)
SHOTS = {
    "topology-light.png": Shot(0, 1180, 760, before=_DETAILS),
    "tasks-dark.png": Shot(1, 1180, 560, dark=True, restores=True),
    "time-phone.png": Shot(3, 390, 700),
}


def topology() -> Topology:
    """Return the program of the pictures, whose lines are those of a file of its own."""
    names: dict[str, Any] = {}
    exec(compile(_PROGRAM, _FILE, "exec"), names)
    built: Topology = names["topology"]
    return built


def application() -> Simulated:
    """Return an application that has run for a while, with a few things to look at."""
    simulated = Simulated(partitions=4, workers=3, topology=topology())
    simulated.members = [hashlib.md5(bytes([n])).hexdigest() for n in range(3)]
    simulated.executors = simulated.debug = True
    simulated.began -= 600
    for _ in range(3):
        simulated.fail()
    return simulated


def main() -> None:
    """Take all pictures."""
    simulated, access = application(), Access("token")
    server = HttpServer(simulated, Listening("127.0.0.1", 0, access))
    try:
        with Browser() as browser:
            for name, shot in SHOTS.items():
                page = browser.page(shot.width, shot.height, dark=shot.dark)
                page.open(f"{server.url}/#{access.logins.new_code()}")
                page.until("document.querySelectorAll('.shape').length > 10", "the graph")
                _prepare(page, shot, simulated)
                page.picture(FOLDER / name)
                page.close()
    finally:
        server.close()


def _prepare(page: Page, shot: Shot, simulated: Simulated) -> None:
    page.click(f"#tab-{shot.tab}")
    page.run(shot.before)
    restored = next(task.id for task in simulated.plan() if task.subtopology.stores)
    for second in range(_SECONDS):
        simulated.restoring = {restored: 3000 - 450 * second} if shot.restores else {}
        time.sleep(1)
    time.sleep(_SETTLE_SECONDS)


if __name__ == "__main__":
    main()

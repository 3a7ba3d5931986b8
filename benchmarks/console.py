"""How fast the console is, and what it costs: `python -m benchmarks.console page` and `cost`.

`page` opens it in a real Chromium on a simulated application: how long it takes until the graph is
there, until an error, a dead worker and the row of a query show, and frames a second while a table
of two thousand tasks is scrolled. `cost` counts records of a real application (that of
`benchmarks.queries`) in windows that take turns: without a browser, with five clients that read
the stream as browsers do, and with five pages of a Chromium, which draws on the same processors.
"""

from __future__ import annotations

import argparse
import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks import figures, machine, queries
from benchmarks.bench import stopwatch
from benchmarks.contenders import ROOT
from penstock import KafkaStreams
from penstock._engine.http.access import Access
from penstock._engine.http.address_file import read_addresses
from penstock._engine.http.listening import Listening
from penstock._engine.http.server import HttpServer
from tests.console.browser import Browser, Page
from tests.console.simulated import Simulated

BROWSERS = 5
_LOADS = ("five streams", "five browsers")
PARTITIONS_OF_2000_TASKS = 667
_SCROLL_SECONDS = 5.0
_WARM_UP_SECONDS = 1.0
_GRAPH = "document.querySelectorAll('.shape').length > 20"
_SCROLLED = """new Promise(done => {
  const table = document.querySelector('.vscroll'), began = performance.now();
  let frames = 0, down = 1;
  const frame = now => {
    frames += 1;
    table.scrollTop += 60 * down;
    if (table.scrollTop + table.clientHeight >= table.scrollHeight - 1) down = -1;
    if (table.scrollTop <= 0) down = 1;
    if (now - began < SECONDS * 1000) requestAnimationFrame(frame);
    else done(frames * 1000 / (now - began));
  };
  requestAnimationFrame(frame);
})""".replace("SECONDS", str(_SCROLL_SECONDS))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("page", "cost", "read"))
    parser.add_argument("--records", type=int, default=40_000_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=3, help="rounds of a run, at the most")
    parser.add_argument("--loads", nargs="*", choices=_LOADS, default=_LOADS, help="only these")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--address", default="", help="of `read`, which `cost` starts itself")
    parser.add_argument("--token", default="")
    wanted = parser.parse_args(arguments)
    if wanted.what == "read":
        read_streams(wanted.address, wanted.token)
    elif wanted.what == "page":
        measure_page()
    else:
        measure_cost(
            queries.Wanted(wanted.records, wanted.pairs, wanted.seconds, wanted.runs, wanted.loads)
        )
    return 0


def measure_page() -> None:
    """Print how long each thing takes to show."""
    with Browser() as browser:
        print(f"{machine.description()}; {browser.version}")
        with shown(browser, Simulated(partitions=4, workers=3)) as (page, application, url):
            rounds = [_times(page, application, url, number) for number in range(5)]
        for name in rounds[0]:
            values = [one[name] for one in rounds]
            print(f"{name}: {figures.median(values):.2f} s (most {max(values):.2f} s)")
        many = Simulated(partitions=PARTITIONS_OF_2000_TASKS, workers=8)
        with shown(browser, many) as (page, _, url):
            page.open(url)
            page.until(_GRAPH, "the graph")
            page.click("#tab-1")
            page.until("document.querySelectorAll('.vspace .vrow').length > 10", "tasks")
            frames = [page.run(_SCROLLED) for _ in range(3)]
        print(
            f"{len(many.plan()):,} tasks, scrolling: {figures.median(frames):.0f} frames/s "
            f"(least {min(frames):.0f})"
        )


@contextmanager
def shown(browser: Browser, application: Simulated) -> Iterator[tuple[Page, Simulated, str]]:
    """Serve a simulated application, and open a page for it."""
    server = HttpServer(application, Listening("127.0.0.1", 0, Access()))
    page = browser.page()
    try:
        yield page, application, server.url
    finally:
        page.close()
        server.close()


def _times(page: Page, application: Simulated, url: str, number: int) -> dict[str, float]:
    def took(script: str, what: str, begin: Callable[[], Any]) -> float:
        started = time.monotonic()
        begin()
        page.until(script, what)
        return time.monotonic() - started

    page.open("about:blank")
    times = {"graph": took(_GRAPH, "the graph", lambda: page.open(f"{url}/?"))}
    row = "document.querySelector('.result td')"
    store = "document.querySelector('.shape.store[aria-label=\"store counts\"]')"
    click = f"{store}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
    page.run(click)
    page.until("document.querySelector('.query button')", "the query box")
    times["query"] = took(row, "a row", lambda: page.click(".query button"))
    page.click("#tab-4")
    cards = f"document.querySelectorAll('.error-card:not(.fatal)').length === {number + 1}"
    times["error"] = took(cards, "the error", application.fail)
    page.click("#tab-1")
    application.gone.clear()
    page.until("!document.querySelector('.worker-card.gone')", "all workers")
    gone = "document.querySelector('.worker-card.gone')"
    times["killed worker"] = took(gone, "the dead worker", lambda: application.kill(1))
    return times


def measure_cost(wanted: queries.Wanted) -> None:
    """Print the throughput with and without browsers."""
    rounds: list[Mapping[str, queries.Window]] = []
    for run in queries.runs(wanted, stopwatch()):
        rounds += _windows(run, wanted)
    for line in _report(rounds):
        print(line)


def _windows(run: queries.Run, wanted: queries.Wanted) -> list[Mapping[str, queries.Window]]:
    streams, progress = run.streams, run.progress
    loads: dict[str, Callable[[], Any]] = {
        "none": nullcontext,
        "five streams": lambda: readers(run.state),
        "five browsers": lambda: browsers(streams),
    }
    loads = {name: load for name, load in loads.items() if name in {"none", *wanted.loads}}

    def measured(load: Callable[[], Any]) -> queries.Window:
        # What opens must not use the topic up.
        streams.pause()
        with load():
            streams.resume()
            time.sleep(_WARM_UP_SECONDS)
            return queries.window(streams, progress, None, wanted.seconds)

    streams.resume()
    time.sleep(10 * _WARM_UP_SECONDS)
    rounds: list[Mapping[str, queries.Window]] = []
    for _ in range(wanted.pairs):
        windows = queries.there_and_back(loads, measured)
        if progress.committed() >= wanted.records:
            break
        rounds.append(windows)
        rates = ", ".join(f"{name} {one.rate:,.0f}/s" for name, one in windows.items())
        print(f"round {len(rounds)}: {rates}", flush=True)
    return rounds


@contextmanager
def readers(state: Path) -> Iterator[None]:
    """Read five streams in a process of its own."""
    (served,) = read_addresses(state)
    command = [sys.executable, "-m", "benchmarks.console", "read", "--address", served.url]
    reader = subprocess.Popen(
        [*command, "--token", served.token or ""], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert reader.stdout is not None
    try:
        reader.stdout.readline()
        yield
    finally:
        reader.kill()
        reader.wait()
        reader.stdout.close()


@contextmanager
def browsers(streams: KafkaStreams) -> Iterator[None]:
    """Open five pages."""
    with ExitStack() as stack:
        browser = stack.enter_context(Browser())
        for _ in range(BROWSERS):
            page = browser.page()
            page.open(streams.console_link())
            page.until("document.querySelectorAll('.shape').length > 3", "the graph")
        yield


def read_streams(address: str, token: str) -> None:
    """Read five streams until the process is killed; print a line when all have begun."""
    begun = threading.Barrier(BROWSERS + 1)

    def read() -> None:
        place = urlsplit(address)
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
        connection.request("GET", "/console/stream", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.readline()
        begun.wait()
        while answer.readline():
            pass

    for _ in range(BROWSERS):
        threading.Thread(target=read, daemon=True).start()
    begun.wait()
    print("all streams are open", flush=True)
    time.sleep(3600)


def _report(rounds: Sequence[Mapping[str, queries.Window]]) -> Iterator[str]:
    if not rounds:
        yield "too few records for one round"
        return
    yield f"{machine.description()}; {len(rounds)} rounds"
    for name in rounds[0]:
        windows = [one[name] for one in rounds]
        changed = queries.change(rounds, name, lambda one: one.rate)
        work = queries.change(rounds, name, lambda one: one.workers_us)
        cost = f" ({changed}), workers {work} processor time a record" * (name != "none")
        yield (
            f"{name}: {figures.median([one.rate for one in windows]):,.0f} records/s"
            f"{cost}, driver "
            f"{100 * figures.median([one.driver_seconds / one.seconds for one in windows]):.1f} "
            "% of a core"
        )


if __name__ == "__main__":
    sys.exit(main())

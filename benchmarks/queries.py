"""What interactive queries cost: `python -m benchmarks.queries [--records N] [--runs N] [--pairs N]
[--seconds N] [--loads NAME ...]`.

An application works off a topic (the count of `make bench`, 10,000 keys, exactly-once, two
workers). Windows of some seconds take turns: without queries, with the asker alone, which asks a
server that does nothing, with single keys over HTTP from the same asker, a process of its own, with
many keys at once in the driver's Python. In each round they go there and back, so that an
application that becomes faster while it runs helps none of them. They are compared with those
without queries of the same round, since the machine is never the same for long: by the records that
were committed, and by the processor time of the workers for each of them. What HTTP costs is also
compared with the asker alone: in production it runs elsewhere. Two windows differ by more than the
queries cost, so many rounds are needed: the application is started `--runs` times over the same
topic, and the mean of all rounds is shown with its error (95 %). Time in which the hypervisor gave
the machine to others does not count.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from benchmarks import figures, machine, topologies
from benchmarks.bench import stopwatch
from benchmarks.cluster import Progress, Say, cluster
from benchmarks.contenders import EXACTLY_ONCE, ROOT
from benchmarks.data import Feed
from benchmarks.processes import processor_seconds
from benchmarks.query_sender import steadily
from penstock import KafkaStreams, State, StreamsBuilder
from penstock._engine.http.address_file import read_addresses
from penstock.errors import StoreNotReadyError

APPLICATION, KEYS, PARTITIONS = "queried", 10_000, 4
HTTP_RATE = 500.0
MULTI_GET_RATE, KEYS_AT_ONCE = 5_000.0, 50
_PATIENCE_MS = 300_000
_WARM_UP_SECONDS = 10.0
_ASKER = "the asker alone"
_LOADS = (_ASKER, "http", "multi-get")

T = TypeVar("T")
Load = Callable[[float], tuple[list[float], int, float]]
"""Asks for so many seconds; returns how many milliseconds each question took, how many had no
answer, and the processor seconds of an asker in another process.
"""


@dataclass(frozen=True, slots=True)
class Window:
    """Some seconds of the run."""

    records: int
    seconds: float
    workers_seconds: float
    """The processor time of the workers."""
    driver_seconds: float
    taken_ms: tuple[float, ...] = ()
    failed: int = 0
    """How many questions had no answer."""
    asker_seconds: float = 0.0
    """The processor time of an asker in another process."""

    def __add__(self, other: Window) -> Window:
        """Return both windows as one."""
        return Window(
            self.records + other.records,
            self.seconds + other.seconds,
            self.workers_seconds + other.workers_seconds,
            self.driver_seconds + other.driver_seconds,
            self.taken_ms + other.taken_ms,
            self.failed + other.failed,
            self.asker_seconds + other.asker_seconds,
        )

    @property
    def rate(self) -> float:
        return self.records / self.seconds

    @property
    def workers_us(self) -> float:
        """Return the processor time of the workers for a record, in microseconds."""
        return self.workers_seconds / self.records * 1e6


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    records: int
    pairs: int
    """How many rounds of a run at the most."""
    seconds: float
    runs: int = 1
    loads: tuple[str, ...] = ()
    """Which loads are measured beside none; all if there is none of them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=40_000_000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=3, help="rounds of a run, at the most")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--loads", nargs="*", choices=_LOADS, default=_LOADS, help="only these")
    given = parser.parse_args(arguments)
    wanted = Wanted(
        given.records, given.pairs, given.seconds, max(1, given.runs), tuple(given.loads)
    )
    say = stopwatch()
    rounds: list[Mapping[str, Window]] = []
    for run in runs(wanted, say):
        rounds += measure(run, wanted, say)
    for line in report(rounds):
        print(line)
    return 0


@dataclass(frozen=True, slots=True)
class Run:
    """An application that has a topic before it, paused."""

    streams: KafkaStreams
    progress: Progress
    state: Path
    """Its folder in the state directory."""


def runs(wanted: Wanted, say: Say) -> Iterator[Run]:
    """Start the application over the same topic, again and again, each time as another one."""
    with tempfile.TemporaryDirectory() as name, cluster(Path(name), say) as running:
        feed = Feed("orders", wanted.records, KEYS, PARTITIONS)
        source = running.fill(feed)
        for number in range(wanted.runs):
            application_id, output = f"{APPLICATION}-{number}", f"out-{APPLICATION}-{number}"
            running.create(output, PARTITIONS)
            progress = Progress(running, application_id, [feed])
            builder = StreamsBuilder()
            topologies.ALL["count"](builder, [source], output)
            with application(builder, running.bootstrap, application_id, Path(name)) as streams:
                say("the application is running")
                yield Run(streams, progress, Path(name) / "state" / application_id)
            progress.close()
            running.drop([output, application_id])


@contextmanager
def application(
    builder: StreamsBuilder, bootstrap: str, application_id: str, folder: Path
) -> Iterator[KafkaStreams]:
    """Run a program with an HTTP server, paused until there is something to measure."""
    config = {
        "bootstrap.servers": bootstrap,
        "application.id": application_id,
        "processing.guarantee": EXACTLY_ONCE,
        "state.dir": str(folder / "state"),
        "num.stream.threads": 2,
        "penstock.http.port": 0,
    }
    with KafkaStreams(builder.build(), config) as streams:
        streams.start()
        streams.pause()
        if not streams.wait_until(State.RUNNING, _PATIENCE_MS):
            msg = f"the application must be RUNNING; it is {streams.state.value}"
            raise RuntimeError(msg)
        yield streams


def measure(run: Run, wanted: Wanted, say: Say) -> list[Mapping[str, Window]]:
    """Let the loads take turns until there are enough windows, or the topic is at its end."""
    rounds: list[Mapping[str, Window]] = []
    streams, progress = run.streams, run.progress
    (served,) = read_addresses(run.state)
    with (
        over_http(served.url, served.token or "-") as http,
        idle_server() as url,
        over_http(url, "-") as asker,
    ):
        loads: dict[str, Load | None] = {
            "none": None,
            _ASKER: asker,
            "http": http,
            "multi-get": lambda seconds: multi_get(streams, seconds),
        }
        for load in loads.values():
            if load is not None:
                load(1.0)  # the first questions open connections
        left_out = set(loads) - {"none", *(wanted.loads or loads)}
        loads = {name: load for name, load in loads.items() if name not in left_out}
        streams.resume()
        time.sleep(_WARM_UP_SECONDS)
        for number in range(wanted.pairs):
            windows = there_and_back(
                loads, lambda load: window(streams, progress, load, wanted.seconds)
            )
            if progress.committed() >= wanted.records:
                say(f"the topic is at its end after {number} rounds")
                break
            rounds.append(windows)
            rates = ", ".join(f"{name} {one.rate:,.0f}/s" for name, one in windows.items())
            say(f"round {number + 1}: {rates}")
    return rounds


def there_and_back(loads: Mapping[str, T], measured: Callable[[T], Window]) -> dict[str, Window]:
    """Return for each load two windows as one: the loads are measured in their order, and then in
    the reverse order.
    """
    there = {name: measured(load) for name, load in loads.items()}
    back = {name: measured(load) for name, load in reversed(list(loads.items()))}
    return {name: there[name] + back[name] for name in loads}


def window(streams: KafkaStreams, progress: Progress, load: Load | None, seconds: float) -> Window:
    """Measure for some seconds."""
    workers = [report.pid for report in streams.reports().values() if report.tasks]
    begin, stolen = time.monotonic(), machine.stolen_seconds()
    used, own = sum(map(processor_seconds, workers)), time.process_time()
    committed = progress.committed()
    taken: list[float] = []
    failed, asker = 0, 0.0
    if load is None:
        time.sleep(seconds)
    else:
        taken, failed, asker = load(seconds)
    records = progress.committed() - committed
    passed = time.monotonic() - begin - (machine.stolen_seconds() - stolen)
    used = sum(map(processor_seconds, workers)) - used
    own = time.process_time() - own
    return Window(max(1, records), passed, used, own, tuple(taken), failed, asker)


@contextmanager
def idle_server() -> Iterator[str]:
    """Run a server that does nothing but answer; yield its address."""
    command = [sys.executable, "-m", "benchmarks.query_sender"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


@contextmanager
def over_http(url: str, token: str) -> Iterator[Load]:
    """Ask single keys over HTTP, from another process."""
    command = [sys.executable, "-m", "benchmarks.query_sender", url, token]
    sender = subprocess.Popen(
        [*command, "counts", str(KEYS), str(HTTP_RATE)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert sender.stdin is not None
    assert sender.stdout is not None
    into, out = sender.stdin, sender.stdout

    def load(seconds: float) -> tuple[list[float], int, float]:
        print(seconds, file=into, flush=True)
        taken, failed, used = json.loads(out.readline())
        return taken, failed, used

    try:
        yield load
    finally:
        sender.kill()
        sender.wait()


def multi_get(streams: KafkaStreams, seconds: float) -> tuple[list[float], int, float]:
    """Ask for many keys at once, in this process."""
    view, chance = streams.store("counts"), Random(2)

    def ask(_key: str) -> bool:
        try:
            view.get_all(f"u{chance.randrange(KEYS)}" for _ in range(KEYS_AT_ONCE))
        except StoreNotReadyError:
            return False
        return True

    taken, failed = steadily([ask] * 4, str, MULTI_GET_RATE / KEYS_AT_ONCE, seconds)
    return taken, failed, 0.0


def report(rounds: Sequence[Mapping[str, Window]]) -> list[str]:
    """Return what was measured, in lines."""
    if not rounds:
        return ["too few records for one round"]
    lines = [f"{machine.description()}; {len(rounds)} rounds"]
    for name in rounds[0]:
        windows = [one[name] for one in rounds]
        line = (
            f"{name}: {figures.median([one.rate for one in windows]):,.0f} records/s, "
            f"workers {figures.median([one.workers_us for one in windows]):.2f} us/record, "
            f"driver {100 * figures.median([_share(one) for one in windows]):.0f} % of a core"
        )
        taken = [value for one in windows for value in one.taken_ms]
        if taken:
            asked = figures.median([len(one.taken_ms) / one.seconds for one in windows])
            lost = change(rounds, name, lambda one: one.rate)
            more = change(rounds, name, lambda one: one.workers_us)
            failed = sum(one.failed for one in windows)
            asker = figures.median([one.asker_seconds / one.seconds for one in windows])
            line += (
                f", asker {100 * asker:.0f} %; {asked:,.0f} questions/s, "
                f"{_told(figures.percentiles(taken))}, {failed} without an answer; "
                f"throughput {lost}, workers' processor time {more}"
            )
        if name == "http" and _ASKER in rounds[0]:
            beside = change(rounds, name, lambda one: one.rate, _ASKER)
            line += f"; throughput against the asker alone {beside}"
        lines.append(line)
    return lines


def _share(one: Window) -> float:
    return one.driver_seconds / one.seconds


def change(
    rounds: Sequence[Mapping[str, Window]],
    name: str,
    value: Callable[[Window], float],
    against: str = "none",
) -> str:
    """Return by how many percent a value differs from that of another window, the one without
    queries unless said: the mean of all rounds.
    """
    pairs = [(value(one[name]), value(one[against])) for one in rounds]
    mean, error = figures.mean_and_error([(asked / plain - 1) * 100 for asked, plain in pairs])
    return f"{mean:+.1f} % (± {error:.1f})"


def _told(found: Mapping[str, Any]) -> str:
    return f"p50 {found['p50']} ms, p99 {found['p99']} ms"


if __name__ == "__main__":
    sys.exit(main())

"""`make soak`: hours at half load on Spark, with restarts of workers; everything must stay flat.

Twice a minute memory, descriptors and threads of the driver, its JVM and its workers are read, the
folders of state, and the latency of events. A measure is flat if the line through its samples after
the warm-up rises by less than a tenth of its mean in the whole time that was measured.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.processes import tree
from tests.chaos import report, results
from tests.chaos.campaign import Campaign, Journal
from tests.chaos.cluster import Cluster
from tests.chaos.lanes import ROOT, Place
from tests.chaos.spark_faults import kill_worker
from tests.chaos.spark_lane import SparkLane

RESTARTS: Final = 5
SAMPLE_SECONDS: Final = 30.0
WARM_UP: Final = 0.2
"""The part of all samples that is not judged: caches fill, compilers compile."""
TOLERANCE: Final = 0.10
PARTS: Final = ("driver", "jvm", "workers")

Sample = dict[str, float]


@dataclass
class Soak:
    """Samples of an application, and what becomes of them."""

    campaign: Campaign
    samples: list[tuple[float, Sample]] = field(default_factory=list)
    _last: float = 0.0

    def sample(self) -> Sample:
        """Read everything once."""
        lane = self.campaign.lane
        assert isinstance(lane, SparkLane)
        taken: Sample = {}
        for part, pids in _parts(lane.driver.process.pid).items():
            taken[f"memory of {part}, MB"] = sum(map(_resident_mb, pids))
            taken[f"descriptors of {part}"] = sum(map(_descriptors, pids))
            taken[f"threads of {part}"] = sum(map(_threads, pids))
        folder = lane.place.folder
        taken["files and folders of state"] = sum(1 for _ in (folder / "state").rglob("*"))
        since, self._last = self._last, time.monotonic()
        latencies = [took for at, took in list(self.campaign.reader.latencies) if at >= since]
        if latencies:
            taken["latency, median, ms"] = 1000 * statistics.median(latencies)
            taken["latency, 99th percentile, ms"] = 1000 * _percentile(latencies, 0.99)
        self.samples.append((time.monotonic(), taken))
        self.campaign.journal.write("sample", **taken)
        return taken

    def verdicts(self) -> dict[str, dict[str, str]]:
        """Judge each measure by the line through its samples after the warm-up."""
        names = list(dict.fromkeys(name for _, sample in self.samples for name in sample))
        return {name: self._verdict(name) for name in names}

    def _verdict(self, name: str) -> dict[str, str]:
        series = [(at, sample[name]) for at, sample in self.samples if name in sample]
        series = series[int(len(series) * WARM_UP) :]
        values = [value for _, value in series]
        slope = _slope(series)
        grown = slope * (series[-1][0] - series[0][0]) if len(series) > 1 else 0.0
        fifth = max(1, len(values) // 5)
        begin, end = statistics.fmean(values[:fifth]), statistics.fmean(values[-fifth:])
        flat = grown <= TOLERANCE * max(1.0, statistics.fmean(values))
        return {
            "begin": f"{begin:,.0f}",
            "end": f"{end:,.0f}",
            "slope": f"{slope * 3600:+,.1f}",
            "verdict": "flat" if flat else "**rises**",
        }


def _slope(series: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the line of least squares, for a second; 0 of too few samples."""
    if len(series) < 3:
        return 0.0
    times, values = zip(*series, strict=True)
    return statistics.linear_regression(times, values).slope


def _percentile(values: Sequence[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def _parts(driver: int) -> Mapping[str, list[int]]:
    parts: dict[str, list[int]] = {part: [] for part in PARTS}
    for pid in tree(driver):
        name = ""
        with suppress(OSError):
            name = Path(f"/proc/{pid}/exe").readlink().name
        below = "jvm" if name == "java" else "workers"
        parts["driver" if pid == driver else below].append(pid)
    return parts


def _resident_mb(pid: int) -> float:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / (1 << 20)
    return 0.0


def _descriptors(pid: int) -> int:
    with suppress(OSError):
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    return 0


def _threads(pid: int) -> int:
    with suppress(OSError):
        return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())
    return 0


def run(campaign: Campaign, minutes: float, seed: int) -> tuple[Soak, list[str]]:
    """Keep the application going, kill workers now and then; return samples and troubles."""
    soak, chance, troubles = Soak(campaign), random.Random(seed), list[str]()
    wrong = campaign.begin()
    troubles += [wrong] if wrong else []
    begin = time.monotonic()
    kills = [begin + 60 * minutes * (number + 0.7) / RESTARTS for number in range(RESTARTS)]
    while time.monotonic() < begin + 60 * minutes:
        time.sleep(SAMPLE_SECONDS)
        print({name: round(value) for name, value in soak.sample().items()}, flush=True)
        if kills and time.monotonic() > kills[0]:
            kills.pop(0)
            outcome = campaign.suffer("kill-worker", lambda given: kill_worker(given, chance))
            print(f"killed a worker: {outcome.recovery} s, {outcome.trouble or 'right'}")
            troubles += [outcome.trouble] if outcome.trouble else []
            campaign.go_on()
    end = campaign.finish()
    return soak, troubles + ([end.trouble] if end.trouble else [])


def main() -> int:
    """Run the soak, print the verdicts and put them into results.json and the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=400.0, help="half of what this machine does")
    parser.add_argument("--ignore", nargs="+", default=[])
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="penstock-soak-"))
    journal = Journal(ROOT / "build" / "chaos" / f"soak-{given.seed}.jsonl")
    try:
        with Cluster(folder / "cluster") as cluster:
            place = Place(cluster.servers, "soak", "exactly_once_v2", folder / "app")
            campaign = Campaign(cluster, SparkLane(place), given.seed, journal, rate=given.rate)
            campaign.reader.ignored = frozenset(given.ignore)
            try:
                soak, troubles = run(campaign, given.minutes, given.seed)
            finally:
                campaign.close()
    finally:
        results.unmount(folder)
        shutil.rmtree(folder, ignore_errors=True)
    told = (
        f"{given.minutes:.0f} minutes at {given.rate:.0f} events a second under exactly-once, "
        f"{campaign.model.records:,} records, {campaign.reader.seen:,} outputs, {RESTARTS} workers "
        f"killed, {len(soak.samples)} samples: {'; '.join(troubles) or 'every answer right'}."
    )
    measures = soak.verdicts()
    report.save({**report.load(), "soak": {"told": told, "measures": measures}})
    print(report.soak({"told": told, "measures": measures}))
    return 1 if troubles or any(one["verdict"] != "flat" for one in measures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

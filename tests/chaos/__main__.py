"""The long form, `make chaos`: `python -m tests.chaos --minutes 60 --seed 1 --faults kill-worker`.

Everything is chosen by the seed: load, kinds of faults, their lengths and victims. The schedule and
all outcomes are in `build/chaos/<seed>.jsonl`; logs of campaigns with trouble are kept beside it.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tests.chaos import results
from tests.chaos.campaign import Campaign, Journal, Lane, run_all
from tests.chaos.cluster import Cluster
from tests.chaos.faults import IN_JAVA, ON_WORKERS, Inject
from tests.chaos.lanes import ROOT, Place, java_workers, penstock_workers
from tests.chaos.program import OUTPUTS
from tests.chaos.spark_faults import ON_SPARK
from tests.chaos.spark_lane import SparkLane
from tests.chaos.stops import STOPS

LANES: dict[str, Callable[[Place], Lane]] = {
    "workers": penstock_workers,
    "spark": SparkLane,
    "java": java_workers,
}
KINDS: dict[str, dict[str, Inject]] = {
    # Partitions that are added are noticed by the driver, which this lane has not.
    "workers": {**ON_WORKERS, "deleted-changelog": STOPS["deleted-changelog"]},
    "spark": {**ON_SPARK, **STOPS},
    "java": {kind: ON_WORKERS[kind] for kind in IN_JAVA},
}
ENDING = STOPS
"""Faults after which an application cannot go on."""
GUARANTEES = ("exactly_once_v2", "at_least_once")
BATCH = 8


class Deck:
    """Kinds of faults in a random order, each as often as any other."""

    def __init__(self, kinds: Sequence[str], chance: random.Random) -> None:
        self._kinds, self._chance = list(kinds), chance
        self._left: list[str] = []

    def deal(self, count: int) -> list[str]:
        """Return the next faults of a campaign; one that ends it can only be the last."""
        dealt: list[str] = []
        put_off: list[str] = []
        while len(dealt) < count:
            if not self._left:
                self._left = self._chance.sample(self._kinds, len(self._kinds))
            kind = self._left.pop()
            if kind in ENDING and any(each in ENDING for each in dealt):
                put_off.append(kind)
                if len(put_off) > len(self._kinds):
                    break
            else:
                dealt.append(kind)
        self._left += put_off
        return sorted(dealt, key=lambda kind: kind in ENDING)


def main() -> int:
    """Run campaigns until the time is over; return 1 if one went wrong."""
    given = _arguments().parse_args()
    kept = _kept()
    journal = Journal(kept / f"{given.seed}.jsonl")
    if given.campaign is not None:
        lane, guarantee = given.lanes[0], given.guarantees[0]
        return _run(given, journal, (lane, guarantee, given.campaign), given.plan)
    until = time.monotonic() + 60 * given.minutes
    number, troubles = given.seed * 1000, 0
    decks = {
        (lane, guarantee): Deck(
            [kind for kind in given.faults or KINDS[lane] if kind in KINDS[lane]],
            random.Random(f"{given.seed} {lane} {guarantee}"),
        )
        for lane in given.lanes
        for guarantee in given.guarantees
    }
    while time.monotonic() < until:
        for (lane, guarantee), deck in decks.items():
            if time.monotonic() < until:
                number += 1
                planned = deck.deal(given.batch)
                try:
                    troubles += _run(given, journal, (lane, guarantee, number), planned)
                except Exception as error:
                    # One campaign that cannot be run must not end an hour of them.
                    print(f"  the campaign could not be run: {error!r}", flush=True)
                    troubles += 1
        if given.once:
            break
    print(f"{troubles} campaigns with trouble; {kept / f'{given.seed}.jsonl'}")
    return 1 if troubles else 0


def _run(
    given: argparse.Namespace,
    journal: Journal,
    what: tuple[str, str, int],
    planned: Sequence[str],
) -> int:
    kept = _kept()
    lane, guarantee, seed = what
    known = KINDS[lane]
    again = (
        f"python -m tests.chaos --campaign {seed} --lanes {lane} --guarantees {guarantee} "
        f"--brokers {given.brokers} --rate {given.rate:.0f} --plan {' '.join(planned)}"
    )
    journal.write("schedule", seed=seed, lane=lane, guarantee=guarantee, again=again)
    print(again, flush=True)
    faults = [
        (kind, partial(_inject, known[kind], random.Random(f"{seed} {number}")))
        for number, kind in enumerate(planned)
    ]
    folder = Path(tempfile.mkdtemp(prefix="penstock-chaos-", dir=given.folder))
    troubled = True
    try:
        with Cluster(folder / "cluster", given.brokers) as cluster:
            place = Place(cluster.servers, f"chaos-{seed}", guarantee, folder / "app")
            campaign = Campaign(cluster, LANES[lane](place), seed, journal, rate=given.rate)
            campaign.reader.ignored = frozenset(given.ignore)
            try:
                run_all(campaign, faults, lambda text: print(text, flush=True), stops=STOPS)
            finally:
                campaign.close()
        ends = [campaign.end] if campaign.end else []
        troubled = any(outcome.trouble for outcome in [*campaign.outcomes, *ends])
        results.add(kept / f"outcomes-{given.seed}.json", [*campaign.outcomes, *ends])
    finally:
        if troubled or given.keep:
            _keep_logs(folder, kept / f"logs-{seed}")
        results.unmount(folder)
        shutil.rmtree(folder, ignore_errors=True)
    return int(troubled)


def _kept() -> Path:
    return ROOT / "build" / "chaos"


def _inject(
    fault: Callable[[Campaign, random.Random], str], chance: random.Random, campaign: Campaign
) -> str:
    return fault(campaign, chance)


def _keep_logs(folder: Path, kept: Path) -> None:
    kept.mkdir(parents=True, exist_ok=True)
    for log in [*folder.glob("app/*.log"), *folder.glob("cluster/*/broker.log")]:
        shutil.copyfile(log, kept / f"{log.parent.name}-{log.name}")
    print(f"  logs are kept in {kept}")


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    known = sorted({kind for kinds in KINDS.values() for kind in kinds})
    parser.add_argument("--faults", nargs="+", choices=known)
    parser.add_argument("--lanes", nargs="+", choices=LANES, default=list(LANES))
    parser.add_argument("--guarantees", nargs="+", choices=GUARANTEES, default=GUARANTEES)
    parser.add_argument("--brokers", type=int, choices=(1, 3), default=1)
    parser.add_argument("--batch", type=int, default=BATCH, help="faults of one application")
    parser.add_argument("--rate", type=float, default=120.0, help="events a second")
    parser.add_argument("--ignore", nargs="+", choices=OUTPUTS, default=[], help="not judged")
    parser.add_argument("--campaign", type=int, help="do one campaign again, with its --plan")
    parser.add_argument("--plan", nargs="+", choices=known, default=[])
    parser.add_argument("--keep", action="store_true", help="keep the logs in any case")
    parser.add_argument("--once", action="store_true", help="one campaign of each kind, then end")
    shared = Path("/dev/shm")
    parser.add_argument("--folder", type=Path, default=shared if shared.is_dir() else None)
    return parser


if __name__ == "__main__":
    sys.exit(main())

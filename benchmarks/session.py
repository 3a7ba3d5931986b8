"""One call of the command: part after part, the contenders in turns, everything kept at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from benchmarks import latency, restore, results, throughput
from benchmarks.bench import Bench
from benchmarks.contenders import EXACTLY_ONCE, Contender
from benchmarks.data import Feed
from benchmarks.plan import Plan
from benchmarks.processes import ContenderError
from benchmarks.throughput import Contest
from benchmarks.turns import Turns
from benchmarks.workloads import WORKLOADS

PARTITIONS = (1, 2, 4, 8, 16)
KEYS = (10_000, 100_000, 1_000_000, 10_000_000)
GROWTH_RECORDS = 800_000
RESTORED_KEYS = 1_000_000


class Session:
    """One call of the command: all its measurements bear its stamp."""

    def __init__(self, bench: Bench, wanted: Plan, contenders: Sequence[Contender]) -> None:
        self._bench = bench
        self._plan = wanted
        self._contenders = contenders
        self._run = uuid4().hex[:8]

    def run(self) -> None:
        """Measure part after part."""
        doing = {
            "throughput": self._throughput,
            "latency": self._latency,
            "restore": self._restore,
            "growth-partitions": self._growth_by_partitions,
            "growth-keys": self._growth_by_keys,
        }
        for part in self._plan.parts:
            doing[part]()
        ready = [contender.name for contender in self._contenders]
        results.keep_skips(self._bench.skipped, ready, self._plan.results)

    def _throughput(self) -> None:
        for name in self._plan.workloads:
            workload = WORKLOADS[name]
            feeds = workload.inputs(self._plan.records)
            for guarantee in self._plan.guarantees:
                contest = Contest(workload, guarantee, feeds)
                self._compete(contest, ("throughput", name, guarantee), self._plan.rounds)

    def _growth_by_partitions(self) -> None:
        workload, records = WORKLOADS["count-10k"], self._plan.records or GROWTH_RECORDS
        for partitions in PARTITIONS:
            feeds = (Feed("orders", records, 10_000, partitions),)
            contest = Contest(workload, EXACTLY_ONCE, feeds)
            self._compete(contest, ("growth-partitions", str(partitions)), 1)

    def _growth_by_keys(self) -> None:
        workload = WORKLOADS["count-10k"]
        for keys in KEYS:
            records = self._plan.records or max(GROWTH_RECORDS, keys)
            contest = Contest(workload, EXACTLY_ONCE, (Feed("every-key", records, keys),))
            self._compete(contest, ("growth-keys", str(keys)), 1)

    def _compete(self, contest: Contest, path: tuple[str, ...], rounds: int) -> None:
        """Let the contenders take turns over the same topics; keep each one's measurement."""
        fit = self._those_who_can(contest.workload.topology, contest.guarantee)
        turns = Turns(contest.records)
        for number in range(rounds):
            for contender in fit:
                label = f"{', '.join(path[1:])}, round {number + 1} of {rounds}: {contender.title}"
                try:
                    run = throughput.measure(self._bench, contender, contest, turns.expected)
                except (ContenderError, ValueError) as error:
                    self._bench.skip("/".join((*path, contender.name)), str(error))
                    continue
                verdict = turns.add(contender.name, run)
                self._bench.say(f"{label}: {run.rate:,.0f}/s ({verdict})")
        for name, measurement in turns.measurements().items():
            self._keep((*path, name), measurement)

    def _those_who_can(self, topology: str, guarantee: str) -> list[Contender]:
        return [each for each in self._contenders if each.can(topology, guarantee)]

    def _latency(self) -> None:
        seconds = self._plan.latency_seconds
        for rate in latency.RATES:
            path = ("latency", str(rate))
            for contender in self._those_who_can("count", EXACTLY_ONCE):
                measure = partial(latency.measure, self._bench, contender, rate, seconds)
                self._note((*path, contender.name), measure)

    def _restore(self) -> None:
        keys = self._plan.records or RESTORED_KEYS
        for contender in self._contenders:
            # The restart of the others is not comparable: they have no changelog, or no group.
            if contender.name in {"penstock", "java"}:
                measure = partial(restore.measure, self._bench, contender, keys)
                self._note(("restore", contender.name), measure)

    def _note(self, path: tuple[str, ...], measure: Callable[[], dict[str, Any]]) -> None:
        name = "/".join(path)
        try:
            found = measure()
        except (ContenderError, ValueError) as error:
            self._bench.skip(name, str(error))
        else:
            self._bench.say(f"{name}: {found}")
            self._keep(path, found)

    def _keep(self, path: tuple[str, ...], measurement: Mapping[str, Any]) -> None:
        stamped = {**measurement, results.MEASURED: results.stamp(self._run)}
        results.keep(path, stamped, self._plan.results)

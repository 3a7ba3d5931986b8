"""One call of the command: part after part, the contenders in turns, everything kept at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
from benchmarks.workloads import WORKLOADS, Workload

PARTITIONS = (1, 2, 4, 8, 16)
KEYS = (10_000, 100_000, 1_000_000, 10_000_000)
GROWTH_RECORDS = 800_000
RESTORED_KEYS = 1_000_000


@dataclass(slots=True)
class Entries:
    """Those who do one contest in turns, and where their measurements are kept."""

    contest: Contest
    contenders: Sequence[Contender]
    path: tuple[str, ...]
    turns: Turns = field(init=False)

    def __post_init__(self) -> None:
        self.turns = Turns(self.contest.records)


class Session:
    """One call of the command: all its measurements bear its stamp."""

    def __init__(self, bench: Bench, wanted: Plan, contenders: Sequence[Contender]) -> None:
        self._bench = bench
        self._plan = wanted
        self._contenders = contenders
        self._run = uuid4().hex[:8]
        self._warm = False

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
            for slowness in sorted({each.slowness for each in self._contenders}):
                self._workload(WORKLOADS[name], slowness)

    def _workload(self, workload: Workload, slowness: int) -> None:
        """Run those of the same speed in turns, with each guarantee; where Java is not one of
        them, it runs first: its result is the expected one.
        """
        records = (self._plan.records or workload.records) // slowness
        lists = []
        for guarantee in self._plan.guarantees:
            fit = [
                each
                for each in self._contenders
                if each.slowness == slowness and each.can(workload.topology, guarantee)
            ]
            if fit:
                contest = Contest(workload, guarantee, workload.inputs(records))
                path = ("throughput", workload.name, guarantee)
                lists.append(Entries(contest, fit, path))
        if slowness > 1:
            for entries in lists:
                self._ask_java(entries.contest, entries.turns)
        self.compete(lists, self._plan.rounds)

    def _growth_by_partitions(self) -> None:
        records = self._plan.records or GROWTH_RECORDS
        for partitions in PARTITIONS:
            feed = Feed("orders", records, 10_000, partitions)
            self._growth(feed, ("growth-partitions", str(partitions)))

    def _growth_by_keys(self) -> None:
        for keys in KEYS:
            records = self._plan.records or max(GROWTH_RECORDS, keys)
            self._growth(Feed("every-key", records, keys), ("growth-keys", str(keys)))

    def _growth(self, feed: Feed, path: tuple[str, ...]) -> None:
        contest = Contest(WORKLOADS["count-10k"], EXACTLY_ONCE, (feed,))
        fit = [each for each in self._contenders if each.slowness == 1]
        self.compete([Entries(contest, fit, path)], 1)

    def _ask_java(self, contest: Contest, turns: Turns) -> None:
        for java in (each for each in self._contenders if each.name == "java"):
            try:
                turns.expected = throughput.measure(self._bench, java, contest, None).outcome
            except (ContenderError, ValueError) as error:
                self._bench.say(f"Java did not say what the result must be: {error}")

    def compete(self, lists: Sequence[Entries], rounds: int) -> None:
        """Run contenders in turns over the same topics; keep each one's measurement."""
        self._warm_up(lists)
        for number in range(rounds):
            for entries in lists:
                for contender in entries.contenders:
                    self._take_turn(entries, contender, f"round {number + 1} of {rounds}")
        for entries in lists:
            for name, measurement in entries.turns.measurements().items():
                self.keep((*entries.path, name), measurement)

    def _warm_up(self, lists: Sequence[Entries]) -> None:
        """Run all that report their progress once without measuring: while the broker compiles
        itself, transactions above all, it takes several times as much, at the cost of the first
        contender.
        """
        able = [(one, entries) for entries in lists for one in entries.contenders if one.commits]
        if self._warm or not able:
            return
        self._warm = True
        for contender, entries in able:
            self._bench.say(f"a turn that does not count, to warm the broker: {contender.title}")
            try:
                throughput.measure(self._bench, contender, entries.contest, None)
            except (ContenderError, ValueError) as error:
                self._bench.say(f"it came to nothing: {error}")

    def _take_turn(self, entries: Entries, contender: Contender, which: str) -> None:
        turns, path = entries.turns, entries.path
        try:
            run = throughput.measure(self._bench, contender, entries.contest, turns.expected)
        except (ContenderError, ValueError) as error:
            self._bench.skip("/".join((*path, contender.name)), str(error))
            return
        verdict = turns.add(contender.name, run)
        label = f"{', '.join(path[1:])}, {which}: {contender.title}"
        self._bench.say(f"{label}: {run.rate} ({verdict})")

    def _latency(self) -> None:
        seconds = self._plan.latency_seconds
        for rate in latency.RATES:
            path = ("latency", str(rate))
            for contender in self._contenders:
                if not contender.can("count", EXACTLY_ONCE):
                    continue
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
            self.keep(path, found)

    def keep(self, path: tuple[str, ...], measurement: Mapping[str, Any]) -> None:
        """Keep a measurement under its names, with the stamp of this session."""
        stamped = {**measurement, results.MEASURED: results.stamp(self._run)}
        results.keep(path, stamped, self._plan.results)

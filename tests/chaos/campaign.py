"""A campaign: one application, a load, and one fault after the other; each is judged by itself.

After each fault outputs must flow again in every partition; then the load pauses until everything
that the model expects has come. What is missing by then is lost.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.chaos.cluster import Cluster
from tests.chaos.lanes import Death, Place
from tests.chaos.load import Load
from tests.chaos.model import Model
from tests.chaos.reader import Reader

RATE = 120.0
RECOVERY_SECONDS = 180.0
SETTLE_SECONDS = 60.0
"""What is missing when no output has come for so long is lost."""

CRASHES = {
    -number
    for number in (
        signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV,
    )
}  # fmt: skip
"""Exit codes of processes that were ended by what they did themselves."""

Say = Callable[[str], None]


class Lane(Protocol):
    """What a campaign needs of the place where the program runs."""

    name: str
    place: Place
    deaths: list[Death]

    def start(self) -> None:
        """Start the program."""

    def stop(self) -> list[str]:
        """Finish it; return what failed at that."""


@dataclass
class Outcome:
    """What came of a fault."""

    lane: str
    guarantee: str
    brokers: int
    kind: str
    seed: int
    number: int
    at: float = 0.0
    detail: str = ""
    seconds: float = 0.0
    """How long the fault lasted."""
    recovery: float | None = None
    """From the fault's end until every partition showed an event written after it."""
    silence: float | None = None
    """The longest time in which some partition showed nothing, from the fault's begin."""
    records: int = 0
    """Records of the load while it happened."""
    outputs: int = 0
    lost: int = 0
    doubled: int = 0
    reordered: int = 0
    wrong: int = 0
    stops: int = 0
    """How often a worker ended with an error or by a signal of its own."""
    trouble: str = ""
    """What is wrong, empty if nothing is."""
    examples: dict[str, list[str]] = field(default_factory=dict)


class Journal:
    """A file of JSON lines: schedules, faults, outcomes, with times."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, what: str, **said: Any) -> None:
        """Add a line."""
        line = json.dumps({"time": round(time.time(), 3), "what": what, **said})
        with self._path.open("a") as file:
            file.write(line + "\n")


class Campaign:
    """One application under fire."""

    def __init__(
        self, cluster: Cluster, lane: Lane, seed: int, journal: Journal, *, rate: float = RATE
    ) -> None:
        self.cluster, self.lane, self.seed, self.journal = cluster, lane, seed, journal
        place = lane.place
        self.model = Model()
        self.load = Load(cluster.direct, place.app, seed, self.model, rate)
        self.load.create_topics(cluster.count)
        self.reader = Reader(cluster.direct, place.app, place.guarantee, self.model)
        self.expected_stops = 0
        self.excuses: Sequence[str] = ()
        """What a worker's last words have in them if the fault explains its end."""
        self.outcomes: list[Outcome] = []
        self._seen = 0
        self.end: Outcome | None = None
        """How the whole was, once it is finished."""

    def begin(self) -> str:
        """Start the program and wait until tables are read; return what is wrong."""
        self.load.start()
        self.lane.start()
        missing = self.reader.wait_complete(180)
        self.load.resume()
        time.sleep(2)
        return _counted(missing)

    def stop_clearly(self, kind: str, inject: Callable[[Campaign], str]) -> Outcome:
        """Have a fault happen after which the application must stop and say why."""
        outcome = self._new_outcome(kind)
        records, begin = self.model.records, time.monotonic()
        try:
            outcome.detail = inject(self)
            outcome.recovery = outcome.silence = 0.0
        except AssertionError as error:
            outcome.trouble = str(error)
        outcome.seconds, outcome.records = (
            time.monotonic() - begin,
            self.model.records - records,
        )
        self.outcomes.append(outcome)
        self.journal.write("outcome", **asdict(outcome))
        return outcome

    def _new_outcome(self, kind: str) -> Outcome:
        place, number = self.lane.place, len(self.outcomes)
        self.journal.write("fault", kind=kind, seed=self.seed, number=number)
        return Outcome(
            self.lane.name,
            place.guarantee,
            self.cluster.count,
            kind,
            self.seed,
            number,
            at=time.time(),
        )

    def suffer(self, kind: str, inject: Callable[[Campaign], str]) -> Outcome:
        """Have one fault happen, wait until it is over, and judge."""
        lane, outcome = self.lane, self._new_outcome(kind)
        before, records, outputs = self.reader.findings(), self.model.records, self.reader.seen
        deaths = len(lane.deaths)
        self.expected_stops = 0
        self.excuses = list[str]()
        begin = time.monotonic()
        try:
            outcome.detail = inject(self)
            outcome.seconds = time.monotonic() - begin
            self._await_recovery(outcome, begin, time.monotonic())
            missing = self._settle()
        except Exception as error:
            outcome.trouble, missing = f"the harness gave up: {error!r}", {}
        outcome.lost = sum(map(len, missing.values()))
        found = self.reader.findings() - before
        outcome.doubled, outcome.reordered = found.doubled, found.reordered
        outcome.wrong = found.wrong
        outcome.records = self.model.records - records
        outcome.outputs = self.reader.seen - outputs
        ended = [death for death in lane.deaths[deaths:] if death.code > 0 or death.code in CRASHES]
        for excuse in self.excuses:
            ended = [death for death in ended if excuse not in death.said]
        outcome.stops = max(0, len(ended) - self.expected_stops)
        outcome.examples = {
            **{f"missing {name}": some[:5] for name, some in missing.items()},
            **(self.reader.examples() if _is_bad(outcome) else {}),
            **({"stops": [death.said[-1500:] for death in ended[-2:]]} if outcome.stops else {}),
        }
        outcome.trouble = outcome.trouble or _judged(outcome)
        if outcome.lost or outcome.recovery is None:
            self._look_for_hanging(outcome)
        self.outcomes.append(outcome)
        self.journal.write("outcome", **asdict(outcome))
        return outcome

    def _look_for_hanging(self, outcome: Outcome) -> None:
        """Say whether transactions hang in the broker: then what seems lost only cannot be read."""
        self.load.pause()
        hanging = self.cluster.open_transactions(self.lane.place.app)
        outcome.examples["hanging transactions"] = hanging[:10]
        backlog = self.cluster.backlog(self.lane.place.app)
        outcome.examples["begin, committed, end"] = [
            f"{at}: {told}" for at, told in backlog.items()
        ]
        if hanging:
            outcome.trouble += f"; transactions hang in the broker: {len(hanging)} partitions"

    def go_on(self) -> str:
        """Change tables while nothing is under way, and start the load again."""
        self.load.change_tables()
        self.load.flush()
        missing = self.reader.wait_complete(SETTLE_SECONDS)
        self.load.resume()
        return _counted(missing)

    def finish(self) -> Outcome:
        """Close all windows, let the program end, and judge once more."""
        end = self._new_outcome("end")
        before = self.reader.findings()
        self.load.pause()
        self.load.close_windows()
        self.load.flush()
        missing = self.reader.wait_complete(SETTLE_SECONDS)
        failed = self.lane.stop()
        found = self.reader.findings() - before
        end.lost, end.doubled, end.reordered, end.wrong = (
            sum(map(len, missing.values())), found.doubled, found.reordered, found.wrong,
        )  # fmt: skip
        end.records, end.outputs = self.model.records, self.reader.seen
        end.examples = {name: some[:5] for name, some in missing.items()}
        end.trouble = _judged(end) or "; ".join(failed)[:2000]
        self.end = end
        self.journal.write("end", **asdict(end))
        return end

    def close(self) -> None:
        """Close everything."""
        self.load.close()
        self.lane.stop()
        self.reader.close()

    def _await_recovery(self, outcome: Outcome, begin: float, over: float) -> None:
        until = over + RECOVERY_SECONDS
        while (flowing := self.reader.flows_since(over)) is None:
            if time.monotonic() > until:
                outcome.trouble = f"no outputs after {RECOVERY_SECONDS:.0f} s: a hang"
                return
            time.sleep(0.05)
        outcome.recovery = round(flowing - over, 3)
        outcome.silence = round(self.reader.longest_silence(begin, flowing), 3)

    def _settle(self) -> dict[str, list[str]]:
        self.load.pause()
        while missing := self.reader.wait_complete(SETTLE_SECONDS):
            # A machine that is busy may only be late: outputs come as long as there is a backlog.
            seen, self._seen = self._seen, self.reader.seen
            if seen == self._seen:
                break
        return missing


def _is_bad(outcome: Outcome) -> bool:
    exact = outcome.guarantee == "exactly_once_v2"
    twice = (outcome.doubled or outcome.reordered or outcome.wrong) and exact
    return bool(outcome.lost or twice)


def _judged(outcome: Outcome) -> str:
    if _is_bad(outcome):
        return (
            f"{outcome.lost} lost, {outcome.doubled} doubled, {outcome.reordered} reordered, "
            f"{outcome.wrong} wrong"
        )
    return f"{outcome.stops} stops" if outcome.stops else ""


def _counted(missing: dict[str, list[str]]) -> str:
    return ", ".join(f"{len(some)} of {name} missing: {some[:2]}" for name, some in missing.items())


def run_all(
    campaign: Campaign,
    faults: Sequence[tuple[str, Callable[[Campaign], str]]],
    say: Say,
    *,
    stops: Collection[str] = (),
) -> int:
    """Run faults in turn; return how many were run, fewer if the application is beyond judging.

    Those in `stops` must end it, and then nothing follows.
    """
    done = 0
    wrong = campaign.begin()
    if wrong:
        say(f"  the start went wrong: {wrong}")
    for kind, inject in faults:
        must_stop = kind in stops
        outcome = (campaign.stop_clearly if must_stop else campaign.suffer)(kind, inject)
        done += 1
        recovery = "-" if outcome.recovery is None else f"{outcome.recovery:.1f} s"
        say(
            f"  {outcome.lane:8} {outcome.guarantee[:7]} {kind:22} recovery {recovery:>7}, "
            f"doubled {outcome.doubled:3}, {outcome.trouble or 'right'} ({outcome.detail})"
        )
        if must_stop or outcome.lost or "hang" in outcome.trouble or "gave up" in outcome.trouble:
            say(f"    {json.dumps(outcome.examples)[:1500]}")
            return done
        wrong = campaign.go_on()
        if wrong:
            say(f"  afterwards: {wrong}")
    end = campaign.finish()
    say(f"  end: {end.records} records, {end.outputs} outputs, {end.trouble or 'all right'}")
    return done

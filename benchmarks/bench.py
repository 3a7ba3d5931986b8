"""What all measurements share: the cluster, the contenders that could be prepared, running one."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cluster import Cluster, Say, cluster
from benchmarks.contenders import Contender, Job
from benchmarks.environments import UnavailableError
from benchmarks.plan import Plan
from benchmarks.processes import Running


@dataclass(frozen=True, slots=True)
class Started:
    """A contender at work."""

    application: str
    target: str
    running: Running


def stopwatch() -> Say:
    """Return a function that prints progress with the time since now."""
    begin = time.monotonic()

    def say(text: str) -> None:
        minutes, seconds = divmod(round(time.monotonic() - begin), 60)
        print(f"[{minutes:3d}:{seconds:02d}] {text}", flush=True)

    return say


class Bench:
    """A place to measure at."""

    def __init__(self, folder: Path, running: Cluster, say: Say, plan: Plan) -> None:
        self.cluster = running
        self.say = say
        self.patience_seconds = plan.patience_seconds
        self.skipped: dict[str, str] = {}
        self._java_settings = plan.java_settings
        self._folder = folder
        self._commands: dict[str, Sequence[str]] = {}
        self._number = 0

    def prepare(self, contenders: Iterable[Contender]) -> list[Contender]:
        """Install those contenders; give the ones that can take part."""
        ready = []
        for contender in contenders:
            self.say(f"preparing {contender.title}")
            try:
                self._commands[contender.name] = contender.prepare(self._folder)
            except UnavailableError as error:
                self.skip(contender.name, str(error))
            else:
                ready.append(contender)
        return ready

    def skip(self, what: str, reason: str) -> None:
        """Remember what is not measured, and why."""
        self.skipped[what] = reason
        self.say(f"skipped {what}: {reason}")

    @contextmanager
    def running(
        self,
        contender: Contender,
        what: tuple[str, str],
        sources: Sequence[str],
        partitions: int,
    ) -> Iterator[Started]:
        """Run a contender under a new name with a new output topic; leave nothing of it. `what` is
        the topology and the guarantee.
        """
        self._number += 1
        application = f"{contender.name}-{self._number:03d}"
        target = f"out-{application}"
        self.cluster.create(target, partitions, **{"message.timestamp.type": "LogAppendTime"})
        try:
            with self.started(contender, application, what, target, sources) as it:
                yield it
        finally:
            self.forget(application)

    @contextmanager
    def started(
        self,
        contender: Contender,
        application: str,
        what: tuple[str, str],
        target: str,
        sources: Sequence[str],
    ) -> Iterator[Started]:
        """Start a contender under a name; its topics and its state stay."""
        topology, guarantee = what
        job = Job(
            topology,
            self.cluster.bootstrap,
            application,
            guarantee,
            self.state_dir(application),
            target,
            sources,
        )
        job.state_dir.mkdir(parents=True, exist_ok=True)
        extra = self._java_settings if contender.name == "java" else ()
        told = [*contender.settings(guarantee), *extra]
        command = [*self._commands[contender.name], *job.arguments(), *told]
        log = self._folder / f"{application}.log"
        running = Running(command, log, contender.environment, self._folder)
        try:
            yield Started(application, target, running)
        finally:
            running.stop()

    def state_dir(self, application: str) -> Path:
        """Return the place of a contender's local state."""
        return self._folder / "state" / application

    def forget(self, application: str) -> None:
        """Delete what a contender has left: topics and state."""
        # Quix Streams puts what a topic is for before its name.
        leading = ("", "out-", "changelog__", "repartition__")
        self.cluster.drop([f"{word}{application}" for word in leading])
        shutil.rmtree(self.state_dir(application), ignore_errors=True)


@contextmanager
def opened(plan: Plan, say: Say) -> Iterator[Bench]:
    """Have a place to measure at, with a broker of its own."""
    # However it ends, the contenders and the broker end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # Not deleted: should something go wrong, the contenders' logs are here.
    folder = Path(tempfile.mkdtemp(prefix="penstock-bench-"))
    say(f"the contenders' logs are in {folder}")
    with cluster(folder, say) as running:
        yield Bench(folder, running, say, plan)

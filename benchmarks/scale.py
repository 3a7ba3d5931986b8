"""What happens with many members: `python -m benchmarks.scale --members 100 --tasks 1000`.

A real broker, the real driver without Spark, and whole workers whose tasks have nothing to process,
several in each of a few processes. Measured are the time and the rebalances until all tasks run,
after a member was killed, killed and started again, or left, and when ten come at once; what one
worker holds open; what driver, broker and workers use while nothing happens. The figures are
printed as JSON; a clock time is worth only as much as the machine was idle (`load`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.cluster import BROKER_JVM, Cluster
from benchmarks.processes import processor_seconds, tree
from benchmarks.scale_driver import ScaleHost, moved, owners
from benchmarks.scale_members import MemberProcess
from penstock import Consumed, Produced, StreamsBuilder, serdes
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock.settings import StreamsConfig

APPLICATION = "scale"
JOINING = 10
REST_SECONDS = 20.0
SETTLE_SECONDS = 600.0
_COORDINATOR_LOG = "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.coordinator.group=info"
_GENERATION = r"Stabilized group {} generation \d+ with (\d+) members"
_ESTABLISHED = "01"

Figures = dict[str, Any]


def generations(log: str, group: str) -> list[int]:
    """Return how many members each generation of a group had, by a broker's log: each is the end of
    a rebalance.
    """
    return [int(count) for count in re.findall(_GENERATION.format(re.escape(group)), log)]


def shares(members: int, processes: int) -> list[list[int]]:
    """Return the slots of each process: as evenly as possible, the first slots first."""
    sizes = [members // processes + (number < members % processes) for number in range(processes)]
    return [list(range(sum(sizes[:at]), sum(sizes[: at + 1]))) for at in range(processes)]


def connections(table: str, inodes: set[int], ports: dict[int, str]) -> Counter[str]:
    """Return how many open connections a process has to each named port, of /proc/net/tcp."""
    found: Counter[str] = Counter()
    for line in table.splitlines()[1:]:
        fields = line.split()
        remote, state, inode = fields[2], fields[3], int(fields[9])
        if state == _ESTABLISHED and inode in inodes:
            found[ports.get(int(remote.rpartition(":")[2], 16), "others")] += 1
    return found


def thread_kind(name: str) -> str:
    """Return what a thread is for, by its name: librdkafka's are named by their broker."""
    for start, kind in (("rdk:main", "client, main"), ("rdk:", "client, one per broker")):
        if name.startswith(start):
            return kind
    return "Python"


def held_open(pid: int, ports: dict[int, str]) -> Figures:
    """Return the connections, threads and memory of a process."""
    links = [_link(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
    inodes = {int(link[8:-1]) for link in links if link.startswith("socket:[")}
    table = Path(f"/proc/{pid}/net/tcp").read_text()
    names = [path.read_text().strip() for path in Path(f"/proc/{pid}/task").glob("*/comm")]
    return {
        "connections": dict(connections(table, inodes, ports)),
        "threads": dict(Counter(map(thread_kind, names))),
        "resident_mb": resident_mb(pid),
    }


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return round(sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024, 1)


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


class Scale:
    """One run: members come, go and die, and each change is measured."""

    def __init__(self, given: argparse.Namespace, broker: LocalBroker) -> None:
        self._given, self._broker = given, broker
        self._tasks, self._members = given.tasks, 0
        self._java = next(pid for pid in tree(os.getpid()) if _is_java(pid))
        self._processes: list[MemberProcess] = []
        self._used: dict[int, float] = {}
        memory = resident_mb(os.getpid())
        self._host = ScaleHost(self._blueprint(), given.members + JOINING)
        self.figures: Figures = {
            "members": given.members,
            "tasks": given.tasks,
            "guarantee": given.guarantee,
            "session_seconds": given.session,
            "blueprint_bytes": len(self._host.program.blueprint),
            "driver_mb": {"before": memory},
        }

    def run(self) -> None:
        """Measure everything, one after the other."""
        given = self._given
        groups = [self._open() for _ in range(given.processes)]
        single = self._open()
        for process in self._processes:
            process.wait_until_ready()
        before = given.members - 1
        slots = shares(before, given.processes)
        self._measure("assign", before, lambda: _start_all(groups, slots))
        self._measure("one joins", 1, lambda: single.start([before]))
        self._measure_rest(single)
        single = self._die_and_return(single, before)
        self._measure("one killed", -1, single.kill)
        storm = shares(JOINING, len(groups))
        ids = [[given.members + slot for slot in some] for some in storm]
        self._measure("ten join", JOINING, lambda: _start_all(groups, ids))
        self._measure("one leaves", -1, lambda: self._host.release(sorted(self._living())[:1]))
        self.figures["driver_mb"]["at the end"] = resident_mb(os.getpid())

    def close(self) -> None:
        """End all members and the driver."""
        self._host.release(self._living())
        for process in self._processes:
            process.end()
        self._host.close(1)

    def _blueprint(self) -> Any:
        given = self._given
        cluster = Cluster(self._broker, _say)
        cluster.create("scale-in", given.tasks)
        cluster.create("scale-out", 1)
        builder = StreamsBuilder()
        stream = builder.stream("scale-in", Consumed(serdes.string(), serdes.string()))
        if given.state:
            counts = stream.group_by_key().count().to_stream()
            counts.to("scale-out", Produced(serdes.string(), serdes.long()))
        else:
            stream.to("scale-out", Produced(serdes.string(), serdes.string()))
        config = StreamsConfig(
            {
                "application.id": APPLICATION,
                "bootstrap.servers": self._broker.bootstrap_servers,
                "processing.guarantee": given.guarantee,
                "state.dir": str(given.folder / "state"),
                "consumer.session.timeout.ms": int(given.session * 1000),
            }
        )
        return prepare(builder.build(), config)

    def _open(self) -> MemberProcess:
        program = self._host.program.blueprint
        self._processes.append(MemberProcess(self._host.address, program, REST_SECONDS))
        return self._processes[-1]

    def _living(self) -> list[str]:
        return sorted(set(owners(self._host.members()).values()))

    def _die_and_return(self, single: MemberProcess, slot: int) -> MemberProcess:
        """Kill a member and start another at once, as Spark does: it takes the same place."""
        another = self._open()
        another.wait_until_ready()

        def change() -> None:
            single.kill()
            self._host.rest(1.0)  # until the driver has noticed: all tasks run before
            another.start([slot])

        self._measure("one killed and started again", 0, change)
        return another

    def _measure(self, name: str, joining: int, change: Callable[[], object]) -> None:
        """Change the members, wait until all tasks run again, keep what that took."""
        self._members += joining
        before, known = owners(self._host.members()), len(self._generations())
        cpu = self._cpu()
        begin = time.monotonic()
        change()
        self._host.await_settled(self._members, self._tasks, SETTLE_SECONDS)
        seconds = time.monotonic() - begin
        self._host.rest(3.0)  # so that a rebalance that follows is counted
        after = self._generations()[known:]
        used = {part: round(now - cpu[part], 1) for part, now in self._cpu().items()}
        self.figures[name] = {
            "seconds": round(seconds, 1),
            "rebalances": len(after),
            "members of each generation": after,
            "tasks moved": moved(before, owners(self._host.members())),
            "cpu seconds": used,
            "load": round(os.getloadavg()[0], 1),
        }
        _say(f"{name}: {self.figures[name]}")

    def _measure_rest(self, single: MemberProcess) -> None:
        ports = {int(self._broker.bootstrap_servers.rpartition(":")[2]): "broker"}
        ports[self._host.address.port] = "driver"
        cpu, begin = self._cpu(), time.monotonic()
        self._host.rest(REST_SECONDS)
        seconds = time.monotonic() - begin
        shares_used = {part: (now - cpu[part]) / seconds for part, now in self._cpu().items()}
        self.figures["at rest, cores"] = {
            part: round(share, 3) for part, share in shares_used.items()
        }
        self.figures["one worker"] = held_open(single.pid, ports)
        self.figures["driver_mb"]["all members"] = resident_mb(os.getpid())
        self.figures["driver threads"] = len(list(Path("/proc/self/task").iterdir()))
        self.figures["broker_mb"] = resident_mb(self._java)
        _say(f"at rest: {self.figures['at rest, cores']}; {self.figures['one worker']}")

    def _generations(self) -> list[int]:
        return generations(self._broker.log_path.read_text(errors="replace"), APPLICATION)

    def _cpu(self) -> dict[str, float]:
        return {
            "driver": time.process_time(),
            "broker": processor_seconds(self._java),
            "workers": self._cpu_of_workers(),
        }

    def _cpu_of_workers(self) -> float:
        for process in self._processes:
            # A process that was killed keeps what it had used when it was last seen.
            seen = self._used.get(process.pid, 0.0)
            self._used[process.pid] = max(seen, processor_seconds(process.pid))
        return sum(self._used.values())


def _start_all(processes: Sequence[MemberProcess], slots: Sequence[list[int]]) -> None:
    for process, some in zip(processes, slots, strict=True):
        process.start(some)


def _is_java(pid: int) -> bool:
    return _link(Path(f"/proc/{pid}/exe")).endswith("java")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextmanager
def _broker(folder: Path) -> Iterator[LocalBroker]:
    with LocalBroker(folder / "broker", jvm_options=(*BROKER_JVM, _COORDINATOR_LOG)) as broker:
        yield broker


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    given = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        given.folder = Path(folder)
        with _broker(given.folder) as broker:
            scale = Scale(given, broker)
            try:
                scale.run()
            finally:
                print(json.dumps(scale.figures, indent=2), flush=True)
                scale.close()
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; refuse what would never settle."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scale", description=(__doc__ or "").partition("\n\n")[2]
    )
    parser.add_argument("--members", type=int, default=100)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=5, help="that the members share (5)")
    parser.add_argument(
        "--session", type=float, default=20.0, help="seconds until a dead member is missed (20)"
    )
    guarantees = ("at_least_once", "exactly_once_v2")
    parser.add_argument("--guarantee", choices=guarantees, default=guarantees[0])
    parser.add_argument("--state", action="store_true", help="each task has a store, too")
    given = parser.parse_args(arguments)
    if given.members < 2 or given.tasks < 1 or given.processes < 1:
        parser.error("two members, one task and one process are the least that can be measured")
    return given


if __name__ == "__main__":
    sys.exit(main())

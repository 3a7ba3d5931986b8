"""The faults that worker processes can suffer. Each takes a campaign and returns what it did.

A fault is over when its function returns: the process runs again, the network is whole.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.admin_calls import REQUEST_SECONDS
from penstock._engine.kafka.client.topics import end_offsets
from tests.chaos.campaign import Campaign
from tests.chaos.lanes import ProcessLane, Slot
from tests.chaos.load import KEYS
from tests.chaos.program import (
    GRACE_MS,
    PARTITIONS,
    POLL_INTERVAL_SECONDS,
    SESSION_SECONDS,
    WINDOW_MS,
)

Inject = Callable[[Campaign, random.Random], str]

DISK_MB: Final = 192
_OVERLOAD = 6000


def kill_worker(campaign: Campaign, chance: random.Random) -> str:
    """SIGKILL one worker."""
    lane = _processes(campaign)
    slot = lane.choose(chance)
    lane.send(slot, signal.SIGKILL)
    return f"worker {slot.number}"


def kill_all_workers(campaign: Campaign, _chance: random.Random) -> str:
    """SIGKILL all workers at once."""
    lane = _processes(campaign)
    slots = lane.living()
    for slot in slots:
        lane.send(slot, signal.SIGKILL)
    return f"{len(slots)} workers"


def stall_worker_short(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP a worker for less than its session."""
    return _stall(campaign, chance, chance.uniform(0.3, 0.7) * SESSION_SECONDS)


def stall_worker_long(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP a worker for longer than its session: it comes back as a zombie."""
    return _stall(campaign, chance, SESSION_SECONDS + chance.uniform(2.0, 4.0))


def stall_all_workers(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP all workers for longer than their sessions."""
    lane = _processes(campaign)
    slots, seconds = lane.living(), SESSION_SECONDS + chance.uniform(1.0, 3.0)
    for slot in slots:
        lane.send(slot, signal.SIGSTOP)
    time.sleep(seconds)
    for slot in slots:
        lane.send(slot, signal.SIGCONT)
    return f"{len(slots)} workers for {seconds:.1f} s"


def _stall(campaign: Campaign, chance: random.Random, seconds: float) -> str:
    lane = _processes(campaign)
    slot = lane.choose(chance)
    lane.send(slot, signal.SIGSTOP)
    time.sleep(seconds)
    lane.send(slot, signal.SIGCONT)
    return f"worker {slot.number} for {seconds:.1f} s"


def kill_broker(campaign: Campaign, chance: random.Random) -> str:
    """SIGKILL a broker, and start it again."""
    number = chance.randrange(campaign.cluster.count)
    campaign.cluster.kill(number)
    time.sleep(chance.uniform(0.5, 3.0))
    campaign.cluster.restart(number)
    return f"broker {number + 1}"


def restart_broker(campaign: Campaign, chance: random.Random) -> str:
    """Stop a broker in order and start it again, at once or after requests have timed out."""
    number = chance.randrange(campaign.cluster.count)
    seconds = chance.choice([0.0, chance.uniform(1.0, 5.0), REQUEST_SECONDS + 2.0])
    campaign.cluster.stop(number)
    time.sleep(seconds)
    campaign.cluster.restart(number)
    return f"broker {number + 1} for {seconds:.1f} s"


def stall_broker_short(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP a broker for less than a session."""
    return _stall_broker(campaign, chance, chance.uniform(0.5, 2.0))


def stall_broker_long(campaign: Campaign, chance: random.Random) -> str:
    """SIGSTOP a broker for longer than all sessions."""
    return _stall_broker(campaign, chance, chance.uniform(7.0, 12.0))


def _stall_broker(campaign: Campaign, chance: random.Random, seconds: float) -> str:
    number = chance.randrange(campaign.cluster.count)
    campaign.cluster.stop_for_now(number)
    time.sleep(seconds)
    campaign.cluster.go_on()
    return f"broker {number + 1} for {seconds:.1f} s"


def reset_connections(campaign: Campaign, chance: random.Random) -> str:
    """Reset all connections of the application."""
    campaign.cluster.proxies.reset()
    time.sleep(chance.uniform(0.0, 0.3))
    return "all connections"


def refuse_connections(campaign: Campaign, chance: random.Random) -> str:
    """Reset and then refuse connections for a while."""
    return _network(campaign, "refuse", chance.uniform(1.0, 6.0))


def black_hole(campaign: Campaign, chance: random.Random) -> str:
    """Delay bytes for longer than a session; connections stay."""
    return _network(campaign, "black-hole", chance.uniform(2.0, 8.0))


def slow_link(campaign: Campaign, chance: random.Random) -> str:
    """Pass 2 KB every 20 ms on each connection."""
    return _network(campaign, "slow", chance.uniform(4.0, 8.0))


def _network(campaign: Campaign, mode: str, seconds: float) -> str:
    proxies = campaign.cluster.proxies
    proxies.set_mode(mode)  # type: ignore[arg-type]
    time.sleep(seconds)
    proxies.set_mode("open")
    return f"for {seconds:.1f} s"


def flapping(campaign: Campaign, chance: random.Random) -> str:
    """Refuse connections again and again, each time shortly."""
    times = chance.randrange(4, 8)
    for _ in range(times):
        _network(campaign, "refuse", chance.uniform(0.1, 0.5))
        time.sleep(chance.uniform(0.2, 0.8))
    return f"{times} times"


def full_disk(campaign: Campaign, chance: random.Random) -> str:
    """Fill the state directory of a worker (a tmpfs), then make room again."""
    lane = _processes(campaign)
    slot = _mounted(lane, chance)
    filler = slot.state / "filler"
    try:
        with filler.open("wb", buffering=0) as file:
            while True:
                file.write(b"\0" * (1 << 20))
    except OSError:
        pass
    campaign.excuses = ("free space",)
    time.sleep(chance.uniform(4.0, 8.0))
    filler.unlink()
    return f"worker {slot.number}"


def read_only_disk(campaign: Campaign, chance: random.Random) -> str:
    """Start a worker whose state directory is mounted read-only; then make it writable."""
    lane = _processes(campaign)
    slot = _mounted(lane, chance)
    lane.hold(slot)
    subprocess.run(["mount", "-o", "remount,ro", str(slot.state)], check=True)
    deaths, campaign.excuses = len(lane.deaths), ("Read-only file system",)
    lane.release(slot)
    _await(lambda: len(lane.deaths) > deaths, 20)
    subprocess.run(["mount", "-o", "remount,rw", str(slot.state)], check=True)
    return f"worker {slot.number}, {len(lane.deaths) - deaths} ends"


def damaged_disk(campaign: Campaign, chance: random.Random) -> str:
    """Kill a worker and overwrite the middle of files of its stores before it starts again."""
    lane = _processes(campaign)
    slot = lane.choose(chance)
    lane.hold(slot)
    files = sorted(
        path
        for path in slot.state.rglob("*")
        if path.is_file() and path.suffix in {".sst", ".log"} and path.stat().st_size > 64
    )
    chosen = chance.sample(files, min(3, len(files)))
    for path in chosen:
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(size // 2)
            file.write(chance.randbytes(min(64, size // 2)))
    deaths = len(lane.deaths)
    lane.release(slot)
    time.sleep(1)
    return f"worker {slot.number}, {len(chosen)} files; deaths {len(lane.deaths) - deaths}"


def deleted_state(campaign: Campaign, chance: random.Random) -> str:
    """Kill a worker and delete its state before it starts again."""
    lane = _processes(campaign)
    slot = lane.choose(chance)
    lane.hold(slot)
    for path in slot.state.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    lane.release(slot)
    return f"worker {slot.number}"


def cut_changelog(campaign: Campaign, chance: random.Random) -> str:
    """Delete all records of a window store's changelog whose windows have closed, as the topic's
    retention does later, then kill a worker. The heir's own copy of the state is older than the
    cut, so it begins anew with what is left, and that is enough.
    """
    topic = f"{_processes(campaign).place.app}-tumbling-changelog"
    admin = AdminClient({"bootstrap.servers": campaign.cluster.direct})
    found = end_offsets(admin, [(topic, number) for number in range(PARTITIONS)])
    ends = [TopicPartition(*place, offset) for place, offset in found.items()]
    time.sleep((WINDOW_MS + GRACE_MS) / 1000 + 5)
    for cut in admin.delete_records(ends).values():
        cut.result()
    return f"{topic}, then {kill_worker(campaign, chance)}"


def join_and_leave(campaign: Campaign, chance: random.Random) -> str:
    """A second instance joins and leaves in order."""
    return _visit(campaign, chance, signal.SIGTERM)


def join_and_die(campaign: Campaign, chance: random.Random) -> str:
    """A second instance joins and is killed."""
    return _visit(campaign, chance, signal.SIGKILL)


def _visit(campaign: Campaign, chance: random.Random, end: signal.Signals) -> str:
    lane = _processes(campaign)
    slot = lane.add()
    seconds = chance.uniform(3.0, 8.0)
    time.sleep(seconds)
    code = lane.remove(slot, end)
    return f"for {seconds:.1f} s, ended with {code}"


def slow_function(campaign: Campaign, chance: random.Random) -> str:
    """Each record takes long in a user's function, so that work falls behind."""
    pause = chance.uniform(0.03, 0.06)
    _ask(campaign, "slow", str(pause))
    time.sleep(chance.uniform(6.0, 10.0))
    (campaign.lane.place.troubles / "slow").unlink()
    return f"{pause * 1000:.0f} ms a record"


def hanging_function(campaign: Campaign, chance: random.Random) -> str:
    """One record takes longer than max.poll.interval.ms."""
    seconds = POLL_INTERVAL_SECONDS + chance.uniform(2.0, 4.0)
    _ask(campaign, "hang", str(seconds))
    time.sleep(seconds)
    return f"{seconds:.1f} s"


def exiting_function(campaign: Campaign, chance: random.Random) -> str:
    """A user's function ends the process: os._exit, sys.exit or a crash, once."""
    how = chance.choice(["exit", "quit", "abort"])
    campaign.expected_stops = 1
    campaign.excuses = ("SystemExit",)
    deaths = len(campaign.lane.deaths)
    _ask(campaign, how, "3")
    _await((campaign.lane.place.troubles / f"{how}.taken").exists, 20)
    if isinstance(campaign.lane, ProcessLane):
        # Its end is this fault's, not the next one's.
        _await(lambda: len(campaign.lane.deaths) > deaths, 20)
    return how


def poison(campaign: Campaign, chance: random.Random) -> str:
    """Records that no serde can read; the handler continues, with dead letters."""
    count = chance.randrange(5, 50)
    campaign.load.poison(count)
    return f"{count} records"


def huge_record(campaign: Campaign, _chance: random.Random) -> str:
    """An output of 10 MB; the handler continues, with a dead letter."""
    campaign.load.huge()
    return "10 MB"


def hot_key(campaign: Campaign, chance: random.Random) -> str:
    """Nine of ten events have one key, at ten times the rate."""
    key, rate = chance.choice(KEYS), campaign.load.rate
    campaign.load.heat(key)
    campaign.load.rate = 10 * rate
    time.sleep(5)
    campaign.load.heat(None)
    campaign.load.rate = rate
    return key


def overload(campaign: Campaign, _chance: random.Random) -> str:
    """Many records at once."""
    campaign.load.burst(_OVERLOAD)
    return f"{_OVERLOAD} records at once"


def few_files(campaign: Campaign, chance: random.Random) -> str:
    """A running worker may open no more files; then it may again."""
    lane = _processes(campaign)
    slot = lane.choose(chance)
    assert slot.process is not None
    open_now = len(os.listdir(f"/proc/{slot.process.pid}/fd"))
    campaign.excuses = ("Too many open files",)
    return _limited(campaign, slot, resource.RLIMIT_NOFILE, open_now, chance.uniform(4.0, 8.0))


def little_memory(campaign: Campaign, chance: random.Random) -> str:
    """A running worker gets hardly more memory than it has, under overload."""
    lane = _processes(campaign)
    slot = lane.choose(chance)
    assert slot.process is not None
    pages = int(Path(f"/proc/{slot.process.pid}/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (1 << 20)
    # A worker that is about to start cannot load its libraries.
    campaign.excuses = (
        "MemoryError", "failed to map segment", "std::bad_alloc", "Assertion `p' failed",
    )  # fmt: skip
    campaign.load.burst(_OVERLOAD // 2)
    return _limited(campaign, slot, resource.RLIMIT_AS, limit, chance.uniform(4.0, 8.0))


def _limited(campaign: Campaign, slot: Slot, what: int, limit: int, seconds: float) -> str:
    lane = _processes(campaign)
    assert slot.process is not None
    pid, deaths = slot.process.pid, len(lane.deaths)
    before = resource.prlimit(pid, what)
    resource.prlimit(pid, what, (limit, before[1]))
    time.sleep(seconds)
    ends = len(lane.deaths) - deaths
    if slot.process.pid == pid and slot.process.poll() is None:
        resource.prlimit(pid, what, before)
    return f"worker {slot.number}, limit {limit}; {ends} ends"


def clock_jump(campaign: Campaign, chance: random.Random) -> str:
    """The workers' clock jumps ahead or back, and later back to what is right."""
    jump = chance.choice([3_600_000, -3_600_000, 30_000, -30_000])
    _ask(campaign, "clock", str(jump))
    time.sleep(chance.uniform(2.0, 4.0))
    (campaign.lane.place.troubles / "clock").unlink()
    return f"{jump / 1000:+.0f} s"


def _ask(campaign: Campaign, what: str, value: str) -> None:
    folder = campaign.lane.place.troubles
    (folder / f"{what}.taken").unlink(missing_ok=True)
    halfway = folder / f".{what}"
    halfway.write_text(value)
    halfway.rename(folder / what)


def _processes(campaign: Campaign) -> ProcessLane:
    assert isinstance(campaign.lane, ProcessLane)
    return campaign.lane


def _mounted(lane: ProcessLane, chance: random.Random) -> Slot:
    """Choose a worker and, the first time, move its state to a small tmpfs of its own."""
    slot = lane.choose(chance)
    if not os.path.ismount(slot.state):
        lane.hold(slot)
        kept = slot.state.with_name(f"{slot.state.name}-kept")
        slot.state.rename(kept)
        slot.state.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(slot.state)],
            check=True,
        )
        shutil.copytree(kept, slot.state, dirs_exist_ok=True)
        shutil.rmtree(kept)
        lane.release(slot)
        time.sleep(4)
    return slot


def _await(done: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.05)


ON_WORKERS: Final[dict[str, Inject]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        kill_worker,
        kill_all_workers,
        stall_worker_short,
        stall_worker_long,
        stall_all_workers,
        kill_broker,
        restart_broker,
        stall_broker_short,
        stall_broker_long,
        reset_connections,
        refuse_connections,
        black_hole,
        flapping,
        slow_link,
        full_disk,
        read_only_disk,
        damaged_disk,
        deleted_state,
        cut_changelog,
        join_and_leave,
        join_and_die,
        slow_function,
        hanging_function,
        exiting_function,
        poison,
        huge_record,
        hot_key,
        overload,
        few_files,
        little_memory,
        clock_jump,
    )
}
"""Faults of the fast lane after which an application can go on."""

IN_JAVA: Final = (
    "kill-worker",
    "kill-all-workers",
    "stall-worker-short",
    "stall-worker-long",
    "kill-broker",
    "restart-broker",
    "stall-broker-short",
    "stall-broker-long",
    "reset-connections",
    "refuse-connections",
    "black-hole",
    "join-and-leave",
    "join-and-die",
)
"""Those that Java Kafka Streams suffers as well."""

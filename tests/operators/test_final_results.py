"""`EmitStrategy.on_window_close` loses no final result, whatever the pace of stream time: compared
with models that keep every window for ever.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest

from penstock import (
    EmitStrategy,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    StreamsConfig,
    TimeWindows,
)
from penstock._engine.planner.plan import plan_subtopologies
from penstock._engine.runtime.records import ChangelogRecord, RawRecord
from penstock._engine.runtime.task import Task
from penstock._engine.state.contract import StoreEngine
from penstock._engine.state.memory.key_value import MemoryStore
from penstock._engine.state.rocksdb.key_value import RocksDbStore
from penstock.settings.table import WINDOW_EMIT_INTERVAL
from penstock.stores._builders import BuiltInEngine as Engine
from penstock.windows import AnyWindows
from tests.operators.programs import drive, pipe, read

Event: TypeAlias = tuple[str, int]
"""(key, timestamp)."""
Finals: TypeAlias = Counter[tuple[str, str]]
"""(window, count), each as often as it came out."""

CHANGELOG = "app-counts-changelog"


def counting(
    windows: AnyWindows, store: Engine = "rocksdb", retention_ms: int | None = None
) -> Callable[[StreamsBuilder], None]:
    """Return a program that counts in windows and shows each when it has closed."""

    def build(builder: StreamsBuilder) -> None:
        windowed = builder.stream("in").group_by_key().windowed_by(windows)
        windowed.emit_strategy(EmitStrategy.on_window_close())
        counts = windowed.count(Materialized("counts", store=store, retention=retention_ms))
        counts.to_stream(lambda key, count: str(key)).map_values(str).to("out")

    return build


def live(cache_bytes: int) -> dict[str, object]:
    """Return the settings of the test driver with which it emits as an application does."""
    return {
        WINDOW_EMIT_INTERVAL: 1_000,
        "penstock.keep.final.results": True,
        "statestore.cache.max.bytes": cache_bytes,
    }


def finals_in_driver(
    build: Callable[[StreamsBuilder], None], events: list[Event], cache_bytes: int = 0
) -> Finals:
    """Process without a tick of the wall clock; a second later all that is left comes out."""
    *_, (_, last_time) = timed(events)
    with drive(build, **live(cache_bytes)) as driver:
        pipe(driver, "in", *[(key, "x", time) for key, time in events])
        driver.advance_wall_clock_time(1_000)
        pipe(driver, "in", ("end", "x", last_time))
        return Counter((key, count) for key, count, _ in read(driver, "out"))


# One second of windows, two of grace.


@pytest.mark.parametrize("cache_bytes", [0, 1_000_000])
@pytest.mark.parametrize("store", ["in_memory", "rocksdb"])
@pytest.mark.parametrize("step", [300, 700, 5_000, 59_000, 1_000_000])
def test_no_final_result_is_lost_where_stream_time_runs_faster_than_the_clock(
    step: int, store: Engine, cache_bytes: int
) -> None:
    events = [("k", n * step) for n in range(60)]
    build = counting(TimeWindows.of_size(1_000, grace=2_000), store)
    expected = aligned_finals(events, 1_000, 1_000, 2_000)
    assert finals_in_driver(build, events, cache_bytes) == expected


@pytest.mark.parametrize("store", ["in_memory", "rocksdb"])
@pytest.mark.parametrize("step", [300, 700, 5_000, 59_000, 1_000_000])
def test_no_final_result_of_a_sliding_window_is_lost_where_stream_time_runs_faster(
    step: int, store: Engine
) -> None:
    events = [("k", n * step) for n in range(60)]
    build = counting(SlidingWindows.of_time_difference(1_000, grace=2_000), store)
    assert finals_in_driver(build, events) == sliding_finals(events, 1_000, 2_000)


@pytest.mark.parametrize("store", ["in_memory", "rocksdb"])
@pytest.mark.parametrize("step", [300, 700, 5_000, 59_000, 1_000_000])
def test_no_final_result_of_a_session_is_lost_where_stream_time_runs_faster(
    step: int, store: Engine
) -> None:
    events = [(f"k{n}", n * step) for n in range(60)]
    build = counting(SessionWindows.of_inactivity_gap(250, grace=2_000), store)
    assert finals_in_driver(build, events) == session_finals(events, 250, 2_000)


def test_windows_come_out_in_order_before_the_record_that_makes_the_store_forget_them() -> None:
    build = counting(TimeWindows.of_size(1_000, grace=2_000))
    with drive(build, **live(0)) as driver:
        # The first record is looked at once, the others within a second of wall clock and stream.
        pipe(driver, "in", ("b", "x", 500), ("a", "x", 1_100), ("b", "x", 1_200))
        assert read(driver, "out") == []
        pipe(driver, "in", ("c", "x", 1_000_000))
        seen = [key for key, _, _ in read(driver, "out")]
    assert seen == ["[b@0/1000]", "[a@1000/2000]", "[b@1000/2000]"]


def test_a_record_behind_a_time_that_went_on_while_idle_makes_the_store_forget_nothing() -> None:
    windows = TimeWindows.of_size(1_000, grace=200_000)

    def build(builder: StreamsBuilder) -> None:
        windowed = builder.stream("in").group_by_key().windowed_by(windows)
        windowed.emit_strategy(EmitStrategy.on_window_close(idle_after=1_000))
        counts = windowed.count(Materialized("counts"))
        counts.to_stream(lambda key, count: str(key)).map_values(str).to("out")

    with drive(build, **live(0) | {WINDOW_EMIT_INTERVAL: 10**9}) as driver:
        pipe(driver, "in", ("a", "x", 500))
        driver.advance_wall_clock_time(500_000)
        pipe(driver, "in", ("b", "x", 450_000))
        assert [key for key, _, _ in read(driver, "out")] == ["[a@0/1000]"]


def test_the_test_driver_loses_what_javas_loses_unless_it_is_told_to_keep_it() -> None:
    build = counting(TimeWindows.of_size(1_000, grace=2_000))
    with drive(build, **{"statestore.cache.max.bytes": 0}) as driver:
        pipe(driver, "in", ("a", "x", 500), ("b", "x", 1_000_000), ("b", "x", 1_003_000))
        assert [key for key, _, _ in read(driver, "out")] == ["[b@1000000/1001000]"]


# Random windows and times.


class Disk:
    """Where the store of a task lives between its lives: in RocksDB, or in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept = KeptInMemory()

    def open(self) -> StoreEngine:
        return self._kept if self._path is None else RocksDbStore(self._path)

    def wipe(self) -> None:
        self._kept = KeptInMemory()
        if self._path is not None:
            RocksDbStore.destroy(self._path)


class KeptInMemory(MemoryStore):
    """An engine in memory that outlives its task, as one on disk does."""

    __slots__ = ()

    def close(self) -> None:
        pass


class Run:
    """A task that is killed and restored between its records; nothing is written twice. Its wall
    clock stands still.
    """

    def __init__(
        self, build: Callable[[StreamsBuilder], None], disk: Disk, cache_bytes: int
    ) -> None:
        builder = StreamsBuilder()
        build(builder)
        (self._plan,) = plan_subtopologies(builder.build(), "app")
        self._config = StreamsConfig(
            {
                "application.id": "app",
                "default.key.serde": "string",
                "default.value.serde": "string",
                "statestore.cache.max.bytes": cache_bytes,
            }
        )
        self._disk = disk
        self._metadata = ""
        self._committed = self._offset = self._now_ms = 0
        self._changelog: list[ChangelogRecord] = []
        self.finals: Finals = Counter()
        self._task = self._start()

    def process(self, events: Iterable[Event]) -> None:
        raws: list[RawRecord] = []
        for key, time in events:
            raws.append((self._offset, time, key.encode(), b"x", ()))
            self._offset += 1
        self._task.add_records("in", 0, raws)
        while self._task.process(self._now_ms, 100):
            pass

    def finish(self, last_time: int) -> None:
        """Emit what is left a second later."""
        self._now_ms += 1_000
        self.process([("end", last_time)])
        self.commit()
        self._task.close()

    def commit(self) -> None:
        commit = self._task.prepare_commit()
        for topic, _, key, value, time, _ in self._task.drain():
            assert key is not None
            if topic == "out":
                assert value is not None
                self.finals[key.decode(), value.decode()] += 1
            else:
                assert time is not None
                self._changelog.append((key, value, time))
        self._task.committed({(CHANGELOG, 0): len(self._changelog)})
        if commit is not None:
            where = commit.offsets["in", 0]
            self._committed, self._metadata = where.offset, where.metadata

    def kill(self) -> int:
        """Lose what is not committed; return where to go on."""
        self._task.discard()
        self._task = self._start()
        return self._committed

    def crash_at_least_once(self) -> int:
        """Lose what is not committed, and the stores, but not what went to the changelog."""
        self._task.prepare_commit()
        for topic, _, key, value, time, _ in self._task.drain():
            if topic != "out":
                assert key is not None
                assert time is not None
                self._changelog.append((key, value, time))
        return self.lose_state()

    def lose_state(self) -> int:
        """Lose what is not committed, and the stores: they are restored from the changelog."""
        self._task.discard()
        self._disk.wipe()
        self._task = self._start()
        return self._committed

    def _start(self) -> Task:
        task = Task(
            "0_0",
            self._plan,
            self._config,
            [("in", 0)],
            lambda topic: 1,
            make_engine=lambda plan: self._disk.open(),
        )
        task.set_lags({("in", 0): 0})
        store = task.restorable()[CHANGELOG, 0]
        for at in range(store.changelog_offset() or 0, len(self._changelog), 7):
            records = self._changelog[at : at + 7]
            store.restore(records, at + len(records))
        if self._metadata:
            task.resume(("in", 0), self._committed, self._metadata)
        self._offset = self._committed
        task.start(self._now_ms)
        return task


def run_in_pieces(run: Run, events: list[Event], random: Random) -> Finals:
    """Process in batches of any size, with commits, kills and restores in between."""
    at = 0
    while at < len(events):
        until = at + random.randint(1, 12)
        run.process(events[at:until])
        at = until
        match random.randint(0, 5):
            case 0:
                at = run.kill()
            case 1:
                at = run.lose_state()
            case _:
                run.commit()
    run.finish(max(time for _, time in events))
    return run.finals


def events_of(random: Random, jump: int, disorder: int) -> list[Event]:
    """Draw keys and times: mostly small steps, sometimes a jump, some late."""
    time, events = random.randint(0, jump), []
    for _ in range(60):
        time += random.choice([0, 0, 1, jump // 10, jump // 3, jump, 20 * jump, 90_000])
        events.append((random.choice("abc"), max(0, time - random.randint(0, disorder))))
    return events


def drawn_time_windows(random: Random) -> tuple[int, int, int]:
    """Draw the size, advance and grace of windows of time."""
    size, grace = drawn_span(random)
    return size, random.choice([size, random.randint(1 + size // 4, size)]), grace


def drawn_span(random: Random) -> tuple[int, int]:
    """Draw the length and grace of windows."""
    return random.randint(1, 2_000), random.choice([0, 1, 500, 3_000])


SETTINGS = [
    (seed, kind, cache_bytes)
    for seed in range(8)
    for kind in ("memory", "rocksdb")
    for cache_bytes in (0, 2_000)
]


def run_of(
    windows: AnyWindows, setting: tuple[int, str, int], path: Path, retention_ms: int | None = None
) -> Run:
    seed, kind, cache_bytes = setting
    store: Engine = "in_memory" if kind == "memory" and seed % 2 else "rocksdb"
    disk = Disk(path if kind == "rocksdb" else None)
    return Run(counting(windows, store, retention_ms), disk, cache_bytes)


# A restart forgets the operators' time, as in Java: what was late before may be in time after it.
# So these leave out what is late, and those below have no restarts.


@pytest.mark.parametrize("setting", SETTINGS)
def test_final_results_of_time_windows_are_those_of_a_model_whatever_is_killed(
    setting: tuple[int, str, int], tmp_path: Path
) -> None:
    random = Random(setting[0])
    size, advance, grace = drawn_time_windows(random)
    windows = TimeWindows.of_size(size, advance=advance, grace=grace)
    events = in_grace(events_of(random, size + grace, grace), grace)
    run = run_of(windows, setting, tmp_path)
    assert run_in_pieces(run, events, random) == aligned_finals(events, size, advance, grace)


@pytest.mark.parametrize("setting", SETTINGS)
def test_final_results_of_sliding_windows_are_those_of_a_model_whatever_is_killed(
    setting: tuple[int, str, int], tmp_path: Path
) -> None:
    random = Random(setting[0])
    length, grace = drawn_span(random)
    windows = SlidingWindows.of_time_difference(length, grace=grace)
    events = in_grace(events_of(random, length + grace, grace), grace)
    run = run_of(windows, setting, tmp_path)
    assert run_in_pieces(run, events, random) == sliding_finals(events, length, grace)


@pytest.mark.parametrize("setting", SETTINGS)
def test_final_results_of_sessions_are_those_of_a_model_whatever_is_killed(
    setting: tuple[int, str, int], tmp_path: Path
) -> None:
    random = Random(setting[0])
    gap, grace = drawn_span(random)
    windows = SessionWindows.of_inactivity_gap(gap, grace=grace)
    events = in_grace(events_of(random, gap + grace, grace), grace)
    # With the least retention a session may be hidden from its last record, as in Java.
    run = run_of(windows, setting, tmp_path, gap + grace + 1)
    assert run_in_pieces(run, events, random) == session_finals(events, gap, grace)


@pytest.mark.parametrize("windows", [
    TimeWindows.of_size(1_000, grace=2_000),
    SlidingWindows.of_time_difference(300, grace=2_000),
    SessionWindows.of_inactivity_gap(250, grace=2_000),
])  # fmt: skip
@pytest.mark.parametrize("store", ["in_memory", "rocksdb"])
def test_after_a_crash_no_window_is_missing_whose_changelog_was_written_and_its_result_was_not(
    store: Engine, windows: AnyWindows
) -> None:
    events = [("k", n * 300) for n in range(60)]
    run = Run(counting(windows, store), Disk(None), 0)
    run.process(events[:20])
    run.commit()
    run.process(events[20:40])
    assert run.crash_at_least_once() == 20
    run.process(events[20:])
    run.finish(events[-1][1])
    undisturbed = finals_in_driver(counting(windows, store), events)
    assert {window for window, _ in run.finals} == {window for window, _ in undisturbed}


@pytest.mark.parametrize("cache_bytes", [0, 2_000])
@pytest.mark.parametrize("store", ["in_memory", "rocksdb"])
@pytest.mark.parametrize("seed", range(8))
def test_final_results_are_those_of_a_model_though_records_are_late(
    seed: int, store: Engine, cache_bytes: int
) -> None:
    random = Random(seed)
    size, advance, grace = drawn_time_windows(random)
    windows = TimeWindows.of_size(size, advance=advance, grace=grace)
    events = events_of(random, size + grace, 2 * (size + grace))
    expected = aligned_finals(events, size, advance, grace)
    assert finals_in_driver(counting(windows, store), events, cache_bytes) == expected
    gap, grace = drawn_span(random)
    sessions = SessionWindows.of_inactivity_gap(gap, grace=grace)
    events = events_of(random, gap + grace, 2 * (gap + grace))
    build = counting(sessions, store, gap + grace + 1)
    assert finals_in_driver(build, events, cache_bytes) == session_finals(events, gap, grace)


@pytest.mark.parametrize("store", ["in_memory", "rocksdb"])
def test_a_session_that_closes_when_its_store_just_hides_it_comes_out(store: Engine) -> None:
    events = [("a", 10), ("b", 15), ("b", 16)]
    build = counting(SessionWindows.of_inactivity_gap(5), store)
    assert finals_in_driver(build, events) == {("[a@10/10]", "1"): 1}


# The models.


def in_grace(events: list[Event], grace: int) -> list[Event]:
    """Leave out what comes too late for some of its windows."""
    return [event for event, stream_time in timed(events) if event[1] >= stream_time - grace]


def timed(events: Iterable[Event]) -> Iterator[tuple[Event, int]]:
    """Yield each event with the stream time after it."""
    stream_time = -1
    for key, time in events:
        stream_time = max(stream_time, time)
        yield (key, time), stream_time


def aligned_finals(events: list[Event], size: int, advance: int, grace: int) -> Finals:
    counts: Counter[tuple[str, int]] = Counter()
    close = 0
    for (key, time), stream_time in timed(events):
        close = stream_time - grace
        for number in range(time // advance + 1):
            start = number * advance
            if start + size > max(time, close):
                counts[key, start] += 1
    return Counter(
        (f"[{key}@{start}/{start + size}]", str(count))
        for (key, start), count in counts.items()
        if start + size <= close
    )


def sliding_finals(events: list[Event], length: int, grace: int) -> Finals:
    times: defaultdict[str, list[int]] = defaultdict(list)
    for key, time in events:
        times[key].append(time)
    close = max(time for _, time in events) - grace
    finals: Finals = Counter()
    for key, own in times.items():
        starts = {max(0, time - length) for time in own}
        starts |= {
            time + 1 for time in own if any(time < other <= time + 1 + length for other in own)
        }
        for start in starts:
            if start + length < close:
                count = sum(start <= time <= start + length for time in own)
                finals[f"[{key}@{start}/{start + length}]", str(count)] += 1
    return finals


def session_finals(events: list[Event], gap: int, grace: int) -> Finals:
    sessions: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    close = 0
    for (key, time), stream_time in timed(events):
        close = stream_time - grace - gap
        near = [s for s in sessions[key] if s[1] >= time - gap and s[0] <= time + gap]
        near = [s for s in near if s[1] >= close]  # the store does not show the others
        start = min([time, *(s[0] for s in near)])
        end = max([time, *(s[1] for s in near)])
        if end >= close:
            sessions[key] = [s for s in sessions[key] if s not in near]
            sessions[key].append((start, end, 1 + sum(s[2] for s in near)))
    return Counter(
        (f"[{key}@{start}/{end}]", str(count))
        for key, own in sessions.items()
        for start, end, count in own
        if end < close
    )

"""A worker's tasks process records in turn, for a bounded time at each step."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from penstock._clock import Clock, monotonic
from penstock._engine.kafka.client.clients import consumer_settings, producer_settings
from penstock._engine.kafka.tasks.assigned_task import AGES_SECONDS, AssignedTask
from penstock._engine.kafka.tasks.inputs import Inputs
from penstock._engine.kafka.tasks.pace import Pace
from penstock._engine.kafka.worker.slow_functions import SlowFunctionWatch
from penstock._engine.metrics.step_times import ThreadTimes
from penstock._engine.runtime.records import TIMESTAMP
from penstock._engine.runtime.task import Task
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

_UNINTERRUPTED_SECONDS = 0.02
"""A step that is cut short for each of many questions would take more than its records do."""


class Processing:
    """Runs records through tasks; `pace.py` says how many."""

    def __init__(
        self, config: StreamsConfig, inputs: Inputs, clock: Clock, times: ThreadTimes
    ) -> None:
        self._times = times
        self._inputs = inputs
        self._clock = clock
        self._buffered_most = config.buffered_records_per_partition
        poll_seconds = int(consumer_settings(config, "group")["max.poll.interval.ms"]) / 1000
        timeout_ms = producer_settings(config, "").get("transaction.timeout.ms")
        self._pace = Pace(poll_seconds, None if timeout_ms is None else int(timeout_ms) / 1000)
        self._slow_functions = SlowFunctionWatch(poll_seconds / 2)
        self._in_hand: Task | None = None

    def step(self, tasks: dict[int, AssignedTask], interrupted: Callable[[], bool]) -> bool:
        """Process records of each task until the step has lasted long enough, or, after a while,
        is interrupted; return whether any were processed. The tasks behind the last one come first
        in the next step.
        """
        now_ms, begin, processed = self._clock.now_ms(), monotonic(), False
        deadline = begin + self._pace.step_seconds
        interruptible = begin + _UNINTERRUPTED_SECONDS
        self._slow_functions.begin(begin)
        try:
            for index in list(tasks):
                each = tasks[index]
                if not each.started:
                    continue
                processed |= self._process(each, now_ms, begin, deadline)
                # To the end of the line.
                tasks[index] = tasks.pop(index)
                begin = monotonic()
                if begin >= deadline:
                    self._warn(begin)
                    break
                if begin >= interruptible and interrupted():
                    break
        finally:
            self._slow_functions.end()
        return processed

    def must_commit(self) -> bool:
        """Return whether records, or the commit of their results, take so long that the next ones
        are not to wait for the interval.
        """
        return self._pace.is_slow(monotonic()) or self._pace.commit_is_full()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what calls functions of the user outside `step`."""
        self._slow_functions.begin(monotonic())
        try:
            yield
        finally:
            self._slow_functions.end()

    @contextmanager
    def flushing(self) -> Iterator[None]:
        """Watch the flush of the caches at a commit, which calls functions of the user as well."""
        begin = monotonic()
        try:
            with self.watching():
                yield
        finally:
            end = monotonic()
            self._pace.flushed(end - begin)
            self._warn(end)

    @property
    def function(self) -> str | None:
        """The function that was running when the engine was last found busy."""
        return self._slow_functions.last

    def record_in_hand(self) -> str:
        """Return where the record comes from that is being processed, as the end of a sentence."""
        place = None if self._in_hand is None else self._in_hand.position
        if place is None or place.topic is None:
            return ""
        return f" at topic {place.topic!r}, partition {place.partition}, offset {place.offset}"

    def close(self) -> None:
        """End the thread that watches."""
        self._slow_functions.close()

    def _process(self, each: AssignedTask, now_ms: int, begin: float, deadline: float) -> bool:
        task = each.task
        task.set_lags(self._inputs.lags)
        self._in_hand = task
        done = each.process(now_ms, self._pace.limit(), deadline)
        end = monotonic()
        self._pace.took(done, end - begin, end)
        fired = task.counters.punctuated
        if done:
            self._measure(each, done, end - begin, end)
        # Also without records, as Java's loop: what a restarted task knows of time may be due.
        task.punctuate_stream_time()
        task.punctuate_wall_clock(now_ms)
        if fired := task.counters.punctuated - fired:
            after = monotonic()
            self._times.punctuate.record(after - end, fired)
            each.times.punctuated(fired, after - end)
        for partition, buffered in each.buffered().items():
            if buffered > self._buffered_most:
                self._inputs.pause(partition)
            else:
                self._inputs.resume(partition)
        return done > 0

    def _measure(self, each: AssignedTask, done: int, seconds: float, now: float) -> None:
        self._times.processed(done, seconds)
        each.times.processed(done, seconds)
        if now < each.next_age:
            return
        each.next_age = now + AGES_SECONDS
        position = each.task.position
        # The last record of a run, now and then, stands for all of them.
        if position.topic is not None and position.raw is not None:
            age_ms = self._clock.now_ms() - position.raw[TIMESTAMP]
            each.times.arrived(each.task.source_name(position.topic), age_ms, now)

    def _warn(self, now: float) -> None:
        if warning := self._pace.warning(self._slow_functions.last, now):
            _log.warning("%s", warning)

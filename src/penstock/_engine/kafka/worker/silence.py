"""For how long the partitions of tasks have been silent, for operators with `idle_after`.

A task that gets no records may just not get them: its process stood still, its clock was wrong, or
the broker is away. So silence is what the broker has said: nothing is on it behind what was read.
Only time between two such answers counts, by the monotonic clock, and no more than a second each.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.client.client_errors import BrokerAway
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.kafka.tasks.assigned_task import AssignedTask
from penstock._engine.kafka.tasks.inputs import Inputs
from penstock._engine.planner.tasks import Partition

_log = logging.getLogger(__name__)

Ends: TypeAlias = Mapping[Partition, int]
AskEnds: TypeAlias = Callable[[Collection[Partition]], Ends]
"""Returns where partitions end, behind open transactions; raises if the cluster does not answer."""

_ASK_SECONDS = 0.5
_ANSWER_SECONDS = 1.5
"""Less than what `with_retries` warns after: it would do so for each question."""
_STEP_SECONDS = 1.0
"""What counts at most between two answers: records that were held up come soon after that."""


@dataclass(frozen=True, slots=True)
class _Question:
    at: float
    """What the answer says was still so then."""
    counted: Mapping[AssignedTask, tuple[int, float]]
    """The tasks that it is about; as `Silence` keeps them."""
    answer: Future[Ends]


def _open_thread() -> Executor:
    return ThreadPoolExecutor(1, thread_name_prefix="penstock-silence")


class Silence:
    """Counts the silence of the tasks of a worker that watch for idleness.

    The cluster is asked on a thread of its own, which there is only if a task watches.
    """

    def __init__(
        self,
        ask_ends: AskEnds,
        inputs: Inputs,
        bounds: Ends | None,
        open_thread: Callable[[], Executor] = _open_thread,
    ) -> None:
        """`bounds` are where the partitions of a bounded run end."""
        self._ask_ends = ask_ends
        self._inputs = inputs
        self._bounds = bounds or {}
        self._silent_to: dict[AssignedTask, tuple[int, float]] = {}
        """The number of the silence of each watching task, and up to when it has been counted."""
        self._question: _Question | None = None
        self._next_at = 0.0
        self._open_thread = open_thread
        self._thread: Executor | None = None
        self._warned = False

    def shorten(self, wait_ms: int, tasks: Iterable[AssignedTask]) -> int:
        """Return how long a step may wait for records: what is looked at rarely counts slowly.
        `tasks` have started.
        """
        watched = any(each.task.idleness.is_watched for each in tasks)
        return min(wait_ms, round(_ASK_SECONDS * 1000)) if watched else wait_ms

    def look(self, tasks: Iterable[AssignedTask], now: float) -> None:
        """Take the answer that has come, if any, and ask again now and then; call it in each step.
        `tasks` have started.
        """
        watching = [each for each in tasks if each.task.idleness.is_watched]
        if not watching:
            self._silent_to.clear()
            return
        known, self._silent_to = self._silent_to, {}
        for each in watching:
            period = each.task.idleness.period
            counted = known.get(each, (period, now))
            self._silent_to[each] = counted if counted[0] == period else (period, now)
        question = self._question
        if question is not None and question.answer.done():
            self._question = None
            self._count(question, now)
        if self._question is None and now >= self._next_at:
            self._ask(now)

    def close(self) -> None:
        """Ask no more."""
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def _ask(self, now: float) -> None:
        self._next_at = now + _ASK_SECONDS
        asked = {each: counted for each, counted in self._silent_to.items() if self._waits(each)}
        for each in self._silent_to.keys() - asked.keys():
            self._silent_to[each] = (each.task.idleness.period, now)
        if asked:
            if self._thread is None:
                self._thread = self._open_thread()
            partitions = [place for each in asked for place in each.offsets]
            answer = self._thread.submit(self._ask_ends, partitions)
            self._question = _Question(now, asked, answer)

    def _count(self, question: _Question, now: float) -> None:
        ends = self._answer_of(question)
        for each, counted in question.counted.items():
            if self._silent_to.get(each) != counted:
                continue  # closed meanwhile, or it got records
            period, since = counted
            if ends is None or not self._waits(each):
                self._silent_to[each] = (period, now)
                continue
            self._silent_to[each] = (period, question.at)
            if self._has_read(each, ends):
                step = min(question.at - since, _STEP_SECONDS)
                each.task.stay_idle(round(step * 1000))

    def _answer_of(self, question: _Question) -> Ends | None:
        try:
            return question.answer.result()
        except BrokerAway as away:
            _log.debug("idle tasks wait for the cluster: %s", away)
        except Exception as error:
            if not self._warned:
                self._warned = True
                _log.warning("windows with idle_after cannot close without records: %s", error)
        return None

    def _waits(self, each: AssignedTask) -> bool:
        """Return whether a task seems to have all there is, and has processed it."""
        lags = self._inputs.lags
        return not each.has_records() and not any(lags.get(place, 1) for place in each.offsets)

    def _has_read(self, each: AssignedTask, ends: Ends) -> bool:
        return all(
            place in self._bounds or ends[place] <= self._inputs.end_met(place)
            for place in each.offsets
        )


def open_silence(admin: AdminClient, inputs: Inputs, bounds: Ends | None) -> Silence:
    """Return the silence of a worker with these clients."""
    ask_ends = partial(_ends_of, admin)
    return Silence(ask_ends, inputs, bounds)


def _ends_of(admin: AdminClient, partitions: Collection[Partition]) -> Ends:
    # What an open transaction holds back would be late if it were overtaken now.
    return end_offsets(admin, partitions, "read_uncommitted", _ANSWER_SECONDS)

"""The driver's part of a query: to the workers that own the tasks, and again where tasks move.

A question that finds its task on the way from one worker to another is asked again until its time
is over; what then is still missing is an error that says which task is where.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby

from penstock._clock import monotonic
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.questions import GLOBAL, Answer, Part, Question, Read, Row
from penstock.errors import QueryError, StoreNotReadyError

Worker = tuple[str, int]
"""Member id and process id; of another driver its id and 0 (`control/forwarding.py`)."""
Assignments = Iterable[tuple[Worker, Mapping[str, str]]]
"""The workers that are alive, each with its tasks and what these do: running or restoring."""
Ask = Callable[[Worker, Question], Answer | None]

_AGAIN_SECONDS = 0.1
_ASKED_AT_ONCE = 32
# To ask again would give the same answer.
_FINAL = frozenset({"refused", "failed", "unknown"})


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a question is to be answered."""

    uncommitted: bool = False
    stale_ok: bool = False
    seconds: float = 10.0
    rows_max: int = 1000


class Asker:
    """Asks the workers of an application."""

    def __init__(self, assignments: Callable[[], Assignments], ask: Ask) -> None:
        self._assignments = assignments
        self._ask = ask
        self._pause = threading.Event()
        self._pool = ThreadPoolExecutor(_ASKED_AT_ONCE, "penstock-questions")

    def parts(
        self, store: StoreEntry, read: Read, partitions: Iterable[int], options: ReadOptions
    ) -> dict[int, Part]:
        """Return the answer of each partition's task.

        Raises:
            StoreNotReadyError: a task is not there, restores or is busy.
            QueryError: the store cannot be asked this, or reading it failed.
        """
        missing, until = set(partitions), monotonic() + options.seconds
        parts: dict[int, Part] = {}
        while True:
            left = replace(options, seconds=max(0.0, until - monotonic()))
            answers = self.answers(store, read, missing, left)
            troubles = [part for part in answers.values() if part.failure is not None]
            for part in troubles:
                if part.failure in _FINAL:
                    msg = f"store {store.name!r}, partition {part.partition}: {part.message}"
                    raise QueryError(msg)
            parts |= {each: part for each, part in answers.items() if part.failure is None}
            missing -= parts.keys()
            if not missing:
                return parts
            last = [one for one in troubles if one.failure in {"not_ready", "elsewhere"}]
            if monotonic() + _AGAIN_SECONDS >= until or last:
                raise _not_ready(store, troubles)
            self._pause.wait(_AGAIN_SECONDS)

    def answers(
        self, store: StoreEntry, read: Read, partitions: Iterable[int], options: ReadOptions
    ) -> dict[int, Part]:
        """Return the answer of each partition's task, asked once; a failure is an answer, too."""
        wanted, owners = set(partitions), self.owners(store)
        parts = {
            partition: Part(partition, failure="absent", message="no worker has its task")
            for partition in sorted(wanted - owners.keys())
        }
        by_worker = sorted((owners[each], each) for each in wanted & owners.keys())
        asked = {
            worker: self._question(store, read, [each for _, each in group], options)
            for worker, group in groupby(by_worker, lambda one: one[0])
        }
        if len(asked) == 1:
            answers = [self._ask(*one) for one in asked.items()]
        else:
            answers = list(self._pool.map(self._ask, asked, asked.values()))
        for question, answer in zip(asked.values(), answers, strict=True):
            told = {} if answer is None else {part.partition: part for part in answer.parts}
            for each in question.partitions:
                silent = Part(each, failure="absent", message=_why_none(answer))
                parts[each] = told.get(each, silent)
        return parts

    def next_page(
        self, store: StoreEntry, part: Part, worker: Worker, options: ReadOptions
    ) -> Part:
        """Return the next page of a scan."""
        question = Question(0, store.name, Read("count"), (), cursor=part.cursor)
        question = replace(question, rows_max=options.rows_max, seconds=options.seconds)
        answer = self._ask(worker, question)
        if answer is None or not answer.parts:
            raise _not_ready(store, [Part(part.partition, message=_why_none(answer))])
        page = answer.parts[0]
        if page.failure is not None:
            raise _not_ready(store, [replace(page, partition=part.partition)])
        return page

    def scan(
        self, store: StoreEntry, read: Read, partition: int, options: ReadOptions
    ) -> Iterator[Row]:
        """Return the rows of a task, page by page."""
        part = self.parts(store, read, [partition], options)[partition]
        yield from self.pages(store, part, options)

    def pages(self, store: StoreEntry, part: Part, options: ReadOptions) -> Iterator[Row]:
        """Return the rows of an answer, and of the pages that follow."""
        worker = None if part.cursor is None else self.owners(store).get(part.partition)
        return self._rows(store, part, worker, options)

    def owners(self, store: StoreEntry) -> dict[int, Worker]:
        """Return the worker of each partition that has one; one that runs it before others."""
        owners: dict[int, Worker] = {}
        for worker, tasks in self._assignments():
            for partition, task in store.tasks.items():
                state = tasks.get(task)
                if partition == GLOBAL or state == "running" or (state and partition not in owners):
                    owners[partition] = worker
        return owners

    def close(self) -> None:
        """Ask no more."""
        self._pause.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _rows(
        self, store: StoreEntry, part: Part, worker: Worker | None, options: ReadOptions
    ) -> Iterator[Row]:
        while True:
            yield from part.rows
            if part.cursor is None:
                return
            if worker is None:
                raise _not_ready(store, [replace(part, message="its task has moved")])
            part = self.next_page(store, part, worker, options)

    def _question(
        self, store: StoreEntry, read: Read, partitions: list[int], options: ReadOptions
    ) -> Question:
        return Question(
            0,
            store.name,
            read,
            tuple(partitions),
            uncommitted=options.uncommitted,
            stale_ok=options.stale_ok,
            rows_max=options.rows_max,
            seconds=options.seconds,
        )


def _why_none(answer: Answer | None) -> str:
    if answer is None:
        return "its worker did not answer in time"
    return f"its worker is busy: {answer.busy}" if answer.busy else "its worker gave no answer"


def _not_ready(store: StoreEntry, troubles: list[Part]) -> StoreNotReadyError:
    told = "; ".join(
        f"task {store.tasks.get(one.partition, '?')}: {one.message}" for one in troubles[:5]
    )
    more = f" and {len(troubles) - 5} more" if len(troubles) > 5 else ""
    remaining = sum(one.offsets_behind for one in troubles)
    hint = "" if any(one.failure == "elsewhere" for one in troubles) else "; ask again in a moment"
    msg = f"store {store.name!r} is not ready: {told}{more}{hint}"
    return StoreNotReadyError(msg, restore_remaining=remaining)

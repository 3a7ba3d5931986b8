"""The driver's part of a query: to the workers that own the tasks, and again where tasks move.

A question that finds its task on the way from one worker to another is asked again until its time
is over; what then is still missing is an error that says which task is where.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from queue import Empty, SimpleQueue

from msgspec import structs

from penstock._clock import monotonic
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.key_batch import KeyEnded, KeyPlace
from penstock._engine.queries.questions import (
    ANSWER_BYTES_MAX,
    GLOBAL,
    Answer,
    Ended,
    Part,
    Question,
    Read,
    Row,
)
from penstock.errors import QueryError, StoreNotReadyError

Worker = tuple[str, int]
"""Member id and process id; of another driver its id and 0 (`control/forwarding.py`)."""
Assignments = Iterable[tuple[Worker, Mapping[str, str]]]
"""The workers that are alive, each with its tasks and what these do: running or restoring."""
Copies = Iterable[tuple[Worker, Collection[str]]]
"""The workers that are alive, each with the tasks of which it keeps standby copies."""
Ask = Callable[[Worker, Question], Answer | None]
Begin = Callable[[Worker, Question, Ended], Callable[[], None] | None]
"""Asks without waiting (`QuestionQueues.begin`); returns what drops the question, None if this
worker cannot be asked so.
"""

BeginGet = Callable[[Worker, Question, KeyPlace, KeyEnded], Callable[[], None] | None]
"""Asks for one key without waiting (`QuestionQueues.begin_get`)."""

_ANY_TASK = ""
"""In the place of a task: any worker can answer."""
_AGAIN_SECONDS = 0.1
_ASKED_AT_ONCE = 32
# A worker that was asked answers, or says why not, a moment after the time is over.
_GRACE_SECONDS = 1.5
# To ask again would give the same answer.
_FINAL = frozenset({"refused", "failed", "unknown"})


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a question is to be answered."""

    uncommitted: bool = False
    stale_ok: bool = False
    seconds: float = 10.0
    rows_max: int = 1000
    bytes_max: int = 32 << 20
    """About how many bytes of rows all workers that are asked together may answer."""


class AnsweredPart(Part, frozen=True):
    """A part as the driver keeps it: with the worker that has the cursor of its next page."""

    worker: Worker | None = None
    page_bytes: int = ANSWER_BYTES_MAX
    """About how many bytes of rows each page that follows may have: the share of this partition, as
    a merged scan holds a page of each.
    """


class Asker:
    """Asks the workers of an application."""

    def __init__(
        self,
        assignments: Callable[[], Assignments],
        ask: Ask,
        copies: Callable[[], Copies] = tuple,
        begin: Begin | None = None,
        begin_get: BeginGet | None = None,
    ) -> None:
        self._assignments = assignments
        self._copies = copies
        self._ask = ask
        self._begin, self._begin_get = begin, begin_get
        self._running: tuple[Assignments, dict[str, Worker]] = (), {}
        """The workers of tasks that run, and the assignments that say so."""
        self._pause = threading.Event()
        self._pool = ThreadPoolExecutor(_ASKED_AT_ONCE, "penstock-questions")

    def parts(
        self,
        store: StoreEntry,
        read: Read,
        partitions: Iterable[int],
        options: ReadOptions,
        keys: Mapping[int, tuple[bytes, ...]] | None = None,
    ) -> dict[int, AnsweredPart]:
        """Return the answer of each partition's task; `keys` are those of each partition, if they
        differ. The workers are asked at the same time, each once for all its partitions.

        Raises:
            StoreNotReadyError: a task is not there, restores or is busy, or the application is
                closed.
            QueryError: the store cannot be asked this, or reading it failed.
        """
        missing, until = set(partitions), monotonic() + options.seconds
        parts: dict[int, AnsweredPart] = {}
        share = options.bytes_max // max(1, len(missing))
        while True:
            # The rows of those that have answered are held meanwhile.
            seconds = max(0.0, until - monotonic())
            left = replace(options, seconds=seconds, bytes_max=share * len(missing))
            answers = self.answers(store, read, missing, left, keys)
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
        self,
        store: StoreEntry,
        read: Read,
        partitions: Iterable[int],
        options: ReadOptions,
        keys: Mapping[int, tuple[bytes, ...]] | None = None,
    ) -> dict[int, AnsweredPart]:
        """Return the answer of each partition's task, asked once; a failure is an answer, too.

        With `stale_ok` the standby copies of a task that fails or is behind are asked as well, and
        the answer is that of the copy that is the least behind.
        """
        self._check_open(store)
        wanted = set(partitions)
        owners = self.owners(store, wanted)
        copies = self.copies(store, wanted) if options.stale_ok else {}
        # A task that hangs leaves time for its copies.
        patience = options.seconds / 2 if copies else options.seconds
        share = options.bytes_max // max(1, len(wanted))
        asking = _Asking(store, read, replace(options, seconds=patience), keys, share)
        parts = self._asked(asking, wanted, owners)
        for turn in range(max(map(len, copies.values()), default=0)):
            behind = {
                partition: workers[turn]
                for partition, workers in copies.items()
                if turn < len(workers) and _may_be_better(parts[partition])
            }
            for partition, part in self._asked(asking, behind, behind).items():
                parts[partition] = min(parts[partition], part, key=_staleness)
        return parts

    def begin_get(
        self,
        store: StoreEntry,
        common: Question,
        place: KeyPlace,
        ended: KeyEnded,
    ) -> Callable[[], None] | None:
        """Ask the task of one partition once for one key, without waiting; return what drops the
        question, None if its worker cannot be asked so: `parts` can then. `common` is what
        `question_of_keys` has returned, the same object each time.

        `ended` is called on another thread, and must not wait: with the answer, which may be a
        failure, or None if there was none.

        Raises:
            QueryError: the key is too long for a message.
        """
        worker = None if self._begin_get is None else self._owner(store, place.partition)
        if self._begin_get is None or worker is None:
            return None
        return self._begin_get(worker, common, place, ended)

    def _owner(self, store: StoreEntry, partition: int) -> Worker | None:
        """Return the worker that runs the task of a partition, None if none does."""
        assignments = self._assignments()
        known, owners = self._running
        if assignments is not known:
            owners = {}
            for worker, tasks in assignments:
                # The last one, as `owners` has it.
                owners |= {task: worker for task, state in tasks.items() if state == "running"}
                owners[_ANY_TASK] = worker
            self._running = assignments, owners
        return owners.get(_ANY_TASK if partition == GLOBAL else store.tasks[partition])

    def copies(self, store: StoreEntry, partitions: Collection[int]) -> dict[int, list[Worker]]:
        """Return the workers that keep standby copies of these partitions of a store."""
        found: dict[int, list[Worker]] = {}
        if store.plan.has_standbys:
            for worker, tasks in self._copies():
                for partition in partitions:
                    if store.tasks[partition] in tasks:
                        found.setdefault(partition, []).append(worker)
        return found

    def _asked(
        self, asking: _Asking, wanted: Collection[int], workers: Mapping[int, Worker]
    ) -> dict[int, AnsweredPart]:
        parts = {
            partition: AnsweredPart(partition, failure="absent", message="no worker has its task")
            for partition in sorted(set(wanted) - workers.keys())
        }
        by_worker = sorted((workers[each], each) for each in wanted if each in workers)
        count = len({worker for worker, _ in by_worker})
        page_bytes = min(asking.page_bytes, ANSWER_BYTES_MAX)
        asked = {
            worker: asking.question([each for _, each in group], asking.options.bytes_max // count)
            for worker, group in groupby(by_worker, lambda one: one[0])
        }
        if len(asked) == 1:
            answers = {worker: self._ask(worker, question) for worker, question in asked.items()}
        else:
            answers = self._ask_all(asked, asking.options.seconds)
        for worker, question in asked.items():
            answer = answers[worker]
            told = {} if answer is None else {part.partition: part for part in answer.parts}
            for each in question.partitions:
                silent = Part(each, failure="absent", message=_why_none(answer))
                parts[each] = _answered(told.get(each, silent), worker, page_bytes)
        return parts

    def _ask_all(
        self, asked: Mapping[Worker, Question], seconds: float
    ) -> dict[Worker, Answer | None]:
        """Return the answers of workers that are asked at the same time; None of those that have
        not answered when the time is over.

        No thread waits for a worker: those that hang would take all there are, and the time of
        questions to others would pass before they are asked.
        """
        replies: SimpleQueue[tuple[Worker, Answer | BaseException | None]] = SimpleQueue()
        answers: dict[Worker, Answer | None] = dict.fromkeys(asked)
        drops: list[Callable[[], object]] = []
        until = monotonic() + seconds + _GRACE_SECONDS
        try:
            for worker, question in asked.items():
                drops.append(self._ask_beside(worker, question, replies))
            for _ in asked:
                worker, answer = replies.get(timeout=max(0.0, until - monotonic()))
                if isinstance(answer, BaseException):
                    raise answer
                answers[worker] = answer
        except Empty:
            pass
        finally:
            for drop in drops:
                drop()
        return answers

    def _ask_beside(
        self,
        worker: Worker,
        question: Question,
        replies: SimpleQueue[tuple[Worker, Answer | BaseException | None]],
    ) -> Callable[[], object]:
        """Have a worker asked, whose answer goes to `replies`; return what drops the question."""
        begin = self._begin
        drop = begin and begin(worker, question, lambda answer: replies.put((worker, answer)))
        if drop:
            return drop
        # Another driver, or a worker that is gone.
        future = self._pool.submit(self._ask, worker, question)
        future.add_done_callback(lambda done: replies.put((worker, _outcome(done))))
        return future.cancel

    def pages(self, store: StoreEntry, part: AnsweredPart, options: ReadOptions) -> Iterator[Row]:
        """Return the rows of an answer, and of the pages that follow: of the same worker, also when
        its task has moved.

        Raises:
            StoreNotReadyError: the worker does not answer, or finds no row in the time of a
                question.
        """
        until = monotonic() + options.seconds
        for page in self._pages(store, part, options):
            yield from page.rows
            if page.rows:
                until = monotonic() + options.seconds
            elif page.cursor is not None and monotonic() >= until:
                msg = (
                    f"store {store.name!r}: task {store.tasks.get(part.partition, '?')} found no "
                    f"row in {options.seconds:g} seconds; ask for a smaller range, or give it more "
                    "time"
                )
                raise StoreNotReadyError(msg)

    def pages_with_marks(
        self, store: StoreEntry, part: AnsweredPart, options: ReadOptions
    ) -> Iterator[Row | None]:
        """Return the rows of `pages`, and None before each question for more of them: for an asker
        that has a time of its own, and goes on with the same scan later.
        """
        for page in self._pages(store, part, options):
            yield from page.rows
            if page.cursor is not None:
                yield None

    def pages_anew(
        self, store: StoreEntry, read: Read, part: AnsweredPart, options: ReadOptions
    ) -> Iterator[Row]:
        """Return the rows of an answer, and of those behind it, each a range of its own of the
        worker that then has the task (`Read.anew`).

        Raises:
            StoreNotReadyError: no worker answers in time.
        """
        options = replace(options, bytes_max=part.page_bytes)
        while True:
            yield from part.rows
            if part.cursor is None:
                return
            if part.rows:  # else other partitions have taken the room of the answer
                read = read.behind(part.rows[-1][0])
            part = self.parts(store, read, [part.partition], options)[part.partition]

    def _pages(self, store: StoreEntry, part: AnsweredPart, options: ReadOptions) -> Iterator[Part]:
        page: Part = part
        while True:
            yield page
            if page.cursor is None or part.worker is None:
                return
            asking = _Asking(store, Read("count"), options, page_bytes=part.page_bytes)
            page = self._next_page(asking, page, part.worker)

    def owners(
        self, store: StoreEntry, partitions: Collection[int] | None = None
    ) -> dict[int, Worker]:
        """Return the worker of each of these partitions, or of all, that has one; one that runs it
        before others.
        """
        owners: dict[int, Worker] = {}
        # A read of one key does not look at all tasks of a large application.
        wanted = {each: store.tasks[each] for each in partitions or store.tasks}
        for worker, tasks in self._assignments():
            for partition, task in wanted.items():
                state = tasks.get(task)
                if partition == GLOBAL or state == "running" or (state and partition not in owners):
                    owners[partition] = worker
        return owners

    def close(self) -> None:
        """Ask no more."""
        self._pause.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _check_open(self, store: StoreEntry) -> None:
        if self._pause.is_set():
            msg = f"store {store.name!r} cannot be asked: its application is closed"
            raise StoreNotReadyError(msg)

    def _next_page(self, asking: _Asking, part: Part, worker: Worker) -> Part:
        store = asking.store
        self._check_open(store)
        question = asking.question([part.partition], asking.page_bytes)
        answer = self._ask(worker, structs.replace(question, cursor=part.cursor))
        if answer is None or not answer.parts:
            raise _not_ready(store, [Part(part.partition, message=_why_none(answer))])
        page = answer.parts[0]
        if page.failure is not None:
            raise _not_ready(store, [structs.replace(page, partition=part.partition)])
        return page


@dataclass(frozen=True, slots=True)
class _Asking:
    """What is asked of all partitions."""

    store: StoreEntry
    read: Read
    options: ReadOptions
    keys: Mapping[int, tuple[bytes, ...]] | None = None
    page_bytes: int = ANSWER_BYTES_MAX
    """The share of one partition."""

    def question(self, partitions: list[int], bytes_max: int) -> Question:
        keys, options = self.keys, self.options
        return Question(
            0,
            self.store.name,
            self.read,
            tuple(partitions),
            uncommitted=options.uncommitted,
            stale_ok=options.stale_ok,
            rows_max=options.rows_max,
            seconds=options.seconds,
            keys=() if keys is None else tuple(keys[partition] for partition in partitions),
            bytes_max=min(bytes_max, ANSWER_BYTES_MAX),
        )


def _may_be_better(part: Part) -> bool:
    """Yes if a copy may have a better answer."""
    return part.offsets_behind > 0 or part.failure not in {None, *_FINAL}


def _staleness(part: Part) -> tuple[bool, int]:
    return part.failure is not None, part.offsets_behind


def _answered(part: Part, worker: Worker, page_bytes: int) -> AnsweredPart:
    return AnsweredPart(
        part.partition,
        part.rows,
        part.cursor,
        part.position,
        part.offsets_behind,
        part.failure,
        part.message,
        worker,
        page_bytes,
    )


def _outcome(done: Future[Answer | None]) -> Answer | BaseException | None:
    return None if done.cancelled() else done.exception() or done.result()


def _why_none(answer: Answer | None) -> str:
    if answer is None:
        return "its worker did not answer in time"
    return f"its worker is busy: {answer.busy}" if answer.busy else "its worker gave no answer"


def _not_ready(store: StoreEntry, troubles: Sequence[Part]) -> StoreNotReadyError:
    told = "; ".join(
        f"task {store.tasks.get(one.partition, '?')}: {one.message}" for one in troubles[:5]
    )
    more = f" and {len(troubles) - 5} more" if len(troubles) > 5 else ""
    remaining = sum(one.offsets_behind for one in troubles)
    hint = "" if any(one.failure == "elsewhere" for one in troubles) else "; ask again in a moment"
    msg = f"store {store.name!r} is not ready: {told}{more}{hint}"
    return StoreNotReadyError(msg, restore_remaining=remaining)

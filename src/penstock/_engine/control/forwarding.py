"""Questions to the other drivers of an application, and the answers to theirs.

To an `Asker` another driver is one more worker, with `OTHER_DRIVER` in the place of a process id. A
question of another driver is answered by the workers of this one alone, so no question is forwarded
twice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from msgspec.structs import replace

from penstock._clock import monotonic
from penstock._engine.control.drivers import Driver, Drivers
from penstock._engine.queries.asking import (
    Ask,
    Asker,
    Assignments,
    Begin,
    BeginGet,
    Copies,
    ReadOptions,
    Worker,
)
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.key_batch import KeyEnded, KeyPlace
from penstock._engine.queries.open_scans import OpenScans, random_number
from penstock._engine.queries.questions import (
    BEHIND_LAST_ROW,
    SCAN_ENDED,
    Answer,
    Ended,
    FailureKind,
    Part,
    Question,
    Row,
)
from penstock._engine.queries.reading import bytes_of, part_of
from penstock.errors import StoreNotReadyError

OTHER_DRIVER = 0
"""In the place of a worker's process id: it is another driver, under its id."""

_SCANS_MAX = 1000
# After that the HTTP server hangs up.
_SECONDS_MAX = 60.0
# A page on which no row is comes after so long: the driver that asks decides whether to go on.
_BARREN_SECONDS = 1.0


class DriverNotAsked(Exception):
    """Another driver gave no answer. `again`: it may give one in a moment."""

    def __init__(self, message: str, *, again: bool) -> None:
        super().__init__(message)
        self.again = again


class DriverClient(Protocol):
    """Asks other drivers."""

    def ask(self, driver: Driver, question: Question) -> Answer:
        """Return the answer of another driver.

        Raises:
            DriverNotAsked: it has none.
        """

    def close(self) -> None: ...


class Forwarding:
    """Asks workers of this driver (`ask_own`) and other drivers (`client`) alike."""

    def __init__(
        self,
        drivers: Drivers,
        client: DriverClient,
        ask_own: Ask,
        begin_own: Begin | None = None,
        begin_own_get: BeginGet | None = None,
    ) -> None:
        self._drivers, self._client = drivers, client
        self._ask_own, self._begin_own, self._begin_own_get = ask_own, begin_own, begin_own_get
        self._made: tuple[Assignments, list[Driver], Assignments] = (), [], ()

    def with_others(self, own: Assignments) -> Assignments:
        """Return workers and their tasks, and the other drivers with what no worker here has: the
        same object until one of them changes, as each question asks for it.
        """
        drivers = self._drivers.others()
        if not drivers:
            return own
        known_own, known_drivers, made = self._made
        if own is not known_own or drivers != known_drivers:
            made = _joined(own, drivers)
        self._made = own, drivers, made
        return made

    def copies_with_others(self, own: Copies) -> Copies:
        """Return workers with the standby copies that they keep, and the other drivers with those
        of theirs.
        """
        others = [((one.id, OTHER_DRIVER), one.standbys) for one in self._drivers.others()]
        return [*own, *others]

    def ask(self, worker: Worker, question: Question) -> Answer | None:
        """Return the answer of a worker or of another driver."""
        if worker[1] != OTHER_DRIVER:
            return self._ask_own(worker, question)
        driver = next((one for one in self._drivers.others() if one.id == worker[0]), None)
        if driver is None:
            return _failed(question, "absent", "the driver that had it has ended")
        try:
            return self._client.ask(driver, question)
        except DriverNotAsked as error:
            return _failed(question, "absent" if error.again else "elsewhere", str(error))

    def begin(self, worker: Worker, question: Question, ended: Ended) -> Callable[[], None] | None:
        """Ask a worker without waiting; None for another driver, which is waited for."""
        if worker[1] == OTHER_DRIVER or self._begin_own is None:
            return None
        return self._begin_own(worker, question, ended)

    def begin_get(
        self,
        worker: Worker,
        common: Question,
        place: KeyPlace,
        ended: KeyEnded,
    ) -> Callable[[], None] | None:
        """Ask a worker for one key without waiting; None for another driver."""
        if worker[1] == OTHER_DRIVER or self._begin_own_get is None:
            return None
        return self._begin_own_get(worker, common, place, ended)

    def close(self) -> None:
        """Ask no other driver any more."""
        self._client.close()


def _joined(own: Assignments, drivers: Iterable[Driver]) -> Assignments:
    workers = list(own)
    here = {task for _, tasks in workers for task in tasks}
    others = [
        (
            (driver.id, OTHER_DRIVER),
            {task: state for task, state in driver.tasks.items() if task not in here},
        )
        for driver in drivers
    ]
    # The last one that runs a task is asked: workers here before drivers, and of these the one
    # that was heard of last.
    return [*others, *workers]


@dataclass(frozen=True, slots=True)
class _Scan:
    store: str
    part: Part
    rows: Iterator[Row | None]


class ForwardedQuestions:
    """Answers questions of other drivers; `here` asks the workers of this driver alone."""

    def __init__(self, here: Asker, stores: Callable[[], Mapping[str, StoreEntry]]) -> None:
        self._here, self._stores = here, stores
        self._scans: OpenScans[int, _Scan] = OpenScans(random_number, _SCANS_MAX)

    def answer(self, question: Question) -> Answer:
        """Return the parts that workers of this driver have, and why there are no others."""
        store = self._stores().get(question.store)
        if store is None:
            return _failed(question, "unknown", "its driver has no such store")
        if question.cursor is not None:
            return Answer(question.number, (self._next_page(question, question.cursor),))
        in_time = 0 <= question.seconds <= _SECONDS_MAX
        seconds, rows_max = question.seconds if in_time else _SECONDS_MAX, question.rows_max
        room = question.room
        options = ReadOptions(
            question.uncommitted, question.stale_ok, seconds, max(1, rows_max), room
        )
        known = [each for each in question.partitions if each in store.tasks]
        keys = dict(zip(question.partitions, question.keys, strict=True)) if question.keys else None
        parts: list[Part] = []
        cursor: int | None
        for part in self._here.answers(store, question.read, known, options, keys).values():
            size = bytes_of(part.rows)
            if size > room and parts:
                # Large rows are more than was asked for: they come with a page of their own.
                cursor = BEHIND_LAST_ROW
                if not question.read.anew:
                    rows = self._here.pages_with_marks(store, part, options)
                    cursor = self._keep(question.store, part, rows)
                parts.append(_sent(part, (), cursor))
                continue
            room = max(0, room - size)
            cursor = part.cursor
            if cursor is not None and not question.read.anew:
                rows = self._here.pages_with_marks(store, replace(part, rows=()), options)
                cursor = self._keep(question.store, part, rows)
            parts.append(_sent(part, part.rows, cursor))
        return Answer(question.number, tuple(parts))

    def drop_old(self) -> None:
        """Forget scans whose time is over; called now and then."""
        self._scans.drop_old()

    def _next_page(self, question: Question, number: int) -> Part:
        scan = self._scans.take(number, lambda kept: kept.store == question.store)
        if scan is None:
            return Part(-1, failure="absent", message=SCAN_ENDED)
        most = max(1, question.rows_max), question.room, sys.maxsize
        until = monotonic() + min(question.seconds, _BARREN_SECONDS)
        try:
            page, follows = part_of(scan.rows, most, lambda: monotonic() >= until)
        except StoreNotReadyError as error:
            return Part(scan.part.partition, failure="absent", message=str(error))
        cursor = self._keep(scan.store, scan.part, scan.rows) if follows else None
        return _sent(scan.part, page, cursor)

    def _keep(self, store: str, part: Part, rows: Iterator[Row | None]) -> int:
        return self._scans.keep(_Scan(store, replace(part, rows=()), rows))


def _failed(question: Question, failure: FailureKind, message: str) -> Answer:
    # The question for a page names no partition.
    partitions = question.partitions or (-1,)
    parts = [Part(each, failure=failure, message=message) for each in partitions]
    return Answer(question.number, tuple(parts))


def _sent(part: Part, rows: tuple[Row, ...], cursor: int | None) -> Part:
    """Return a part for another driver, which does not know the workers of this one."""
    return Part(
        part.partition,
        rows,
        cursor,
        part.position,
        part.offsets_behind,
        part.failure,
        part.message,
    )

"""What the server must know of the application that it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from penstock._engine.control.drivers import Driver
from penstock._engine.control.protocol.messages import Report
from penstock._engine.control.recent_errors import RecentErrors
from penstock._engine.metrics.rows import MetricRow
from penstock._engine.planner.tasks import TaskPlan
from penstock._engine.queries.asking import ReadOptions
from penstock._engine.queries.catalogue import StoreEntry
from penstock._engine.queries.merging import PlacedRow
from penstock._engine.queries.questions import Answer, Part, Position, Question, Read, Row
from penstock._engine.state.codec import RowCodec
from penstock._engine.topology.topology import Topology


class Source(Protocol):
    """A store as it is read; raises QueryError, StoreNotReadyError."""

    @property
    def store(self) -> StoreEntry: ...
    @property
    def codec(self) -> RowCodec: ...
    @property
    def offsets_behind(self) -> int | None:
        """How far the copies that have answered were behind; None if that was not asked for."""

    @property
    def reached(self) -> Position:
        """How far the tasks had come whose rows were returned; nothing if that is not known."""

    def of_key(self, key: Any, read: Read) -> tuple[Row, ...]:
        """Return the rows of one key."""

    def scan_of_key(self, key: Any, read: Read) -> Iterator[Row | None]:
        """Return the rows of one key, page by page; None where more must be asked for."""

    def begin_get(
        self, raw_key: bytes, ended: Callable[[Part | None], None]
    ) -> Callable[[], None] | None:
        """Ask for the row of one key without waiting; return what drops the question, None if that
        cannot be done. `ended` is called on another thread, with None if there is no answer.
        """

    def begin_elsewhere(
        self, raw_key: bytes, ended: Callable[[Part | None], None]
    ) -> Callable[[], None] | None:
        """Ask for the row of a key that is not where it belongs in the other partitions, in the
        same way; return None if it can be in no other.
        """

    def placed_by_key(self, read: Read) -> Iterator[PlacedRow]:
        """Return rows of all partitions in the order of their keys, then of their partitions."""

    def one_by_one(self, read: Read) -> Iterator[Row | None]:
        """Return rows partition by partition; None where more must be asked for."""


class QueriedStores(Protocol):
    """The stores of an application, whether it runs or not."""

    @property
    def state(self) -> str:
        """The name of the application's state."""

    @property
    def exactly_once(self) -> bool: ...
    def stores(self) -> Mapping[str, StoreEntry]:
        """Return the stores; those of the plan while the application starts."""

    def source(self, name: str, options: ReadOptions, partition: int | None) -> Source:
        """Return a store to read.

        Raises:
            StoreNotReadyError: the application starts or ends.
        """


class Application(QueriedStores, Protocol):
    """A started application."""

    @property
    def application_id(self) -> str: ...
    @property
    def trouble(self) -> str | None:
        """What keeps it from its work though it is RUNNING."""

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the tasks of its plan, each with what is known of it before it runs."""

    def reports(self) -> Mapping[str, Report]: ...
    def lag(self) -> int | None:
        """Return how many input records are not processed yet; None if that is not known."""

    def metrics(self) -> str:
        """Return its metrics as Prometheus text."""

    def drivers(self) -> Sequence[Driver]:
        """Return the driver that serves, first, and the others of the application."""

    def answer(self, question: Question) -> Answer:
        """Return what the workers of this driver answer to a question of another driver.

        Raises:
            StoreNotReadyError: the application starts or ends.
        """

    def topology(self, form: str) -> str:
        """Return its topology as text, mermaid or svg."""

    def program(self) -> Topology:
        """Return its topology."""

    def plan(self) -> Sequence[TaskPlan]:
        """Return the tasks of its plan; another object if the plan has changed."""

    def metric_rows(self) -> Mapping[str, Sequence[MetricRow]]:
        """Return the last metrics of each worker, by its id."""

    def standby_copies(self) -> Mapping[str, Sequence[str]]:
        """Return the tasks of which each worker keeps a standby copy, by its id."""

    def errors(self) -> RecentErrors:
        """Return its newest errors."""

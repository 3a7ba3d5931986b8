"""What the terminal and the HTTP server see of an application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from penstock._engine.control.drivers import Driver
from penstock._engine.control.protocol.messages import Report
from penstock.application_states import State
from penstock.errors import StoreNotReadyError, StreamsError

if TYPE_CHECKING:
    from penstock._application_hosts import AnyHost
    from penstock._engine.control.recent_errors import RecentErrors
    from penstock._engine.metrics.rows import MetricRow
    from penstock._engine.planner.blueprint import Blueprint
    from penstock._engine.planner.tasks import TaskPlan
    from penstock._engine.queries.asking import ReadOptions
    from penstock._engine.queries.catalogue import StoreEntry
    from penstock._engine.queries.questions import Answer, Question
    from penstock._engine.topology.topology import Topology
    from penstock.application import KafkaStreams


class _View:
    """What every view shows: what is known of the workers, nothing before the query starts."""

    def __init__(self, streams: KafkaStreams) -> None:
        self._streams = streams
        self.application_id = streams.application_id

    def reports(self) -> Mapping[str, Report]:
        query = self._streams._query
        return {} if query is None else query.members()

    def lag(self) -> int | None:
        query = self._streams._query
        return None if query is None else query.lag()


class ForegroundView(_View):
    """What the foreground sees of an application."""

    def __init__(self, streams: KafkaStreams) -> None:
        super().__init__(streams)
        self.close = streams.close
        self._is_local = streams._host == "local"

    @property
    def phase(self) -> str:
        streams = self._streams
        if streams.state is State.CREATED:
            return "PREPARING"
        if streams.state is State.REBALANCING and not self.reports():
            return streams._starting
        return str(streams.state.value)

    @property
    def note(self) -> str:
        return "development host; Spark is for production" if self._is_local else ""

    @property
    def task_count(self) -> int:
        return self._streams._supervision.task_count

    @property
    def ended(self) -> bool:
        return self._streams._states.ended

    @property
    def failed(self) -> bool:
        return self._streams.failure is not None

    @property
    def reason(self) -> str | None:
        failure = self._streams.failure
        return None if failure is None else failure.line


class ServedApplication(_View):
    """What the HTTP server sees of an application."""

    def __init__(self, streams: KafkaStreams, blueprint: Blueprint) -> None:
        super().__init__(streams)
        self._plan = blueprint
        self.exactly_once = streams._config.exactly_once

    @cached_property
    def _planned_stores(self) -> Mapping[str, StoreEntry]:
        from penstock._engine.queries.catalogue import stores_of  # noqa: PLC0415

        return stores_of(self._plan)

    @property
    def state(self) -> str:
        return str(self._streams.state.value)

    @property
    def trouble(self) -> str | None:
        return self._streams.trouble

    def stores(self) -> Mapping[str, StoreEntry]:
        query = self._streams._query
        return self._planned_stores if query is None else query.stores

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        query = self._streams._query
        return {
            task.id: {"partition": task.partition, "stores": sorted(task.subtopology.stores)}
            for task in (self._plan if query is None else query.plan).tasks
        }

    def metrics(self) -> str:
        from penstock.metrics import to_prometheus  # noqa: PLC0415

        return to_prometheus(self._streams.metrics())

    def source(self, name: str, options: ReadOptions, partition: int | None) -> Any:
        from penstock.queries import view_of  # noqa: PLC0415

        query = self._working_query()
        asked = (query.asker, self._streams._config, options)
        return view_of(query.stores, name, asked, partition)._source

    def drivers(self) -> Sequence[Driver]:
        streams = self._streams
        if streams._query is not None:
            return streams._query.all_drivers()
        from penstock._engine.http.clients.driver_client import own_driver  # noqa: PLC0415

        # It gets its id, under which other drivers ask it, with the query.
        return [replace(own_driver(streams._config, streams._serving), id="")]

    def answer(self, question: Question) -> Answer:
        return self._working_query().forwarded.answer(question)

    def topology(self, form: str) -> str:
        topology = self._streams._topology
        if form == "text":
            return str(topology.describe())
        return topology.to_mermaid() if form == "mermaid" else topology.to_svg()

    def program(self) -> Topology:
        return self._streams._topology

    def plan(self) -> Sequence[TaskPlan]:
        query = self._streams._query
        return (self._plan if query is None else query.plan).tasks

    def metric_rows(self) -> Mapping[str, Sequence[MetricRow]]:
        query = self._streams._query
        return {} if query is None else query.metric_rows()

    def standby_copies(self) -> Mapping[str, Sequence[str]]:
        query = self._streams._query
        return {} if query is None else query.standby_copies()

    def errors(self) -> RecentErrors:
        return self._streams._supervision.errors

    def _working_query(self) -> AnyHost:
        try:
            return self._streams._working_query("stores can be queried")
        except StreamsError as error:
            raise StoreNotReadyError(str(error)) from error

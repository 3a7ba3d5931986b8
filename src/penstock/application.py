"""KafkaStreams: start, close and watch an application. Control only; the work is done by its host,
which is Spark, or this process while a program is developed.

Long because each method has an example.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import timedelta
from functools import partial
from importlib.metadata import version
from types import TracebackType
from typing import TYPE_CHECKING, Any

from penstock._application_hosts import (
    DEVELOPMENT,
    AnyHost,
    Host,
    Launch,
    check_host,
    check_local_broker,
    check_session,
)
from penstock._application_queries import ApplicationQueries
from penstock._application_views import ForegroundView, ServedApplication
from penstock._camel_case import ExplainsCamelCase
from penstock._clock import monotonic
from penstock._durations import Duration, to_milliseconds
from penstock._engine.control.application_metrics import application_metrics
from penstock._engine.control.protocol.messages import Report, WorkerFailure
from penstock._engine.control.status import GONE, broker_away_seconds
from penstock._engine.control.supervision import Supervision, UncaughtHandler
from penstock._engine.http.listening import served_anywhere
from penstock._engine.operators.stateless import empty_files
from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.runtime.stores.user_engines import destroy_own_state
from penstock._engine.state.files.directory import StateDirectory
from penstock._engine.topology.checks import check_function, shown
from penstock._engine.topology.topology import Topology
from penstock.application_states import ENDING, State, StateListener, StateMachine, UncaughtResponse
from penstock.errors import StreamsError, TopologyError, without_internal_frames
from penstock.metrics import MetricName, MetricValue
from penstock.settings import StreamsConfig
from penstock.stores import StandbyUpdateListener, StateRestoreListener
from penstock.terminal import invocation
from penstock.terminal.display import Display, Panel, display_for
from penstock.terminal.figures import Meter
from penstock.terminal.foreground import Foreground
from penstock.terminal.invocation import cluster_line
from penstock.terminal.notebook import application_table, measure, progress_table, show_live
from penstock.terminal.timings import StartTimes, process_age_seconds
from penstock.terminal.wording import broker_away

if TYPE_CHECKING:
    from penstock._engine.http.serving import Serving
    from penstock._engine.planner.blueprint import Blueprint
    from penstock._engine.spark.session import SparkSession

__all__ = ["KafkaStreams", "State", "StateListener", "UncaughtHandler", "UncaughtResponse"]

_CLOSE_SECONDS = 60.0
_RUNNING_TIMEOUT = timedelta(seconds=60)


class Progress(dict[str, Any]):
    """A progress report; a notebook shows it as a table."""

    def _repr_html_(self) -> str:
        return progress_table(self)


class KafkaStreams(ApplicationQueries, ExplainsCamelCase):
    """Runs a topology on Spark against Kafka. Java: KafkaStreams.

    >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
    >>> streams.state, streams.application_id
    (<State.CREATED: 'CREATED'>, 'shop')

    `run` starts it and stays until Ctrl-C; `start` returns, so that the program can go on:

    ```python
    with KafkaStreams(builder.build(), {"application.id": "shop"}) as streams:
        streams.start()
        streams.wait_until(State.RUNNING, timedelta(minutes=2))
        print(streams.store("counts").get("ann"))
    ```
    """

    def __init__(
        self,
        topology: Topology,
        config: StreamsConfig | Mapping[str, Any],
        *,
        spark: SparkSession | None = None,
        host: Host = "spark",
    ) -> None:
        """`host="local"` runs one worker in this process, without Spark: for development."""
        if not isinstance(topology, Topology):
            msg = (
                f"KafkaStreams takes a Topology; got {shown(topology)}; did you forget "
                "builder.build()?"
            )
            raise TopologyError(msg)
        self._invocation = invocation.current()
        self._config = invocation.settled(config)
        self._topology = with_default_stores(topology, self._config)
        if self._invocation.look is not None:
            self._invocation.look(self._topology, self._config)
        self._spark, self._host = spark, self._invocation.host or host
        check_host(self._host, spark)
        self._invocation.made = self._config.application_id
        self._states = StateMachine()
        self._query: AnyHost | None = None
        self._serving: Serving | None = None
        self._at_end = ExitStack()
        """What ends just before the last state shows: the local broker, the line of a notebook."""
        self._supervision = Supervision(self._states, self.close)
        self._interrupted = self._is_bounded = self._has_told_cluster = False
        self._starting = "STARTING SPARK" if self._host == "spark" else "STARTING WORKERS"
        """What the host is doing before the first report of a worker."""
        self._starter = self._closer = 0
        """The threads that are in `start` and in `close`, by their ids."""
        self._start_is_over = threading.Event()
        self._has_finished = True

    @property
    def state(self) -> State:
        """What the application is doing now.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.state
        <State.CREATED: 'CREATED'>
        """
        return self._states.state

    @property
    def application_id(self) -> str:
        """The name of the application.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.application_id
        'shop'
        """
        return self._config.application_id

    @property
    def bootstrap_servers(self) -> str | None:
        """The servers of the cluster; None if the settings name none and no local broker serves.

        >>> settings = {"application.id": "shop", "bootstrap.servers": "kafka:9092"}
        >>> KafkaStreams(builder.build(), settings).bootstrap_servers
        'kafka:9092'
        """
        return self._config.bootstrap_servers if self._config.names_cluster else None

    @property
    def failure(self) -> WorkerFailure | None:
        """The failure that ended the application, None if none did.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.failure is None
        True
        """
        return self._supervision.failure

    @property
    def trouble(self) -> str | None:
        """What keeps a running application from its work, None if nothing does. As in Java the
        state stays RUNNING while the broker does not answer, for up to `task.timeout.ms`.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.trouble is None
        True
        """
        reports = {} if self._query is None else self._query.members()
        away = broker_away_seconds(one for one in reports.values() if one.state not in GONE)
        return None if away is None else broker_away(away)

    def set_state_listener(self, listener: StateListener | None) -> None:
        """Call `listener(new, old)` at each change of the state; set it before start. What it
        raises is logged, and stops nothing.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.set_state_listener(lambda new, old: print(old.name, new.name))
        >>> _ = streams.close()
        CREATED PENDING_SHUTDOWN
        PENDING_SHUTDOWN NOT_RUNNING
        """
        self._only_before_start("the state listener")
        if listener is not None:
            check_function(listener, "the state listener", "new", "old", returns="anything")
        self._states.listener = listener

    def set_uncaught_exception_handler(self, handler: UncaughtHandler) -> None:
        """Ask `handler(failure)` what to do about a worker that fails; set it before start. If it
        raises, or returns something else, this instance ends.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> replace = UncaughtResponse.REPLACE_THREAD
        >>> streams.set_uncaught_exception_handler(lambda failure: replace)
        """
        self._only_before_start("the uncaught exception handler")
        check_function(handler, "the uncaught exception handler", "failure")
        self._supervision.uncaught = handler

    def set_global_state_restore_listener(self, listener: StateRestoreListener) -> None:
        """Call `listener` as the stores of all tasks of this instance are restored; set it before
        start.

        It is called here in the driver, a moment later: workers report four times a second. The
        last events of a worker that dies are lost.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.set_global_state_restore_listener(StateRestoreListener())
        """
        self._only_before_start("the state restore listener")
        self._supervision.restore_listener = listener

    def set_standby_update_listener(self, listener: StandbyUpdateListener) -> None:
        """Call `listener` as the workers of this instance keep standby copies up to date
        (`num.standby.replicas`), in the driver and a moment later; set it before start.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.set_standby_update_listener(StandbyUpdateListener())
        """
        self._only_before_start("the standby update listener")
        self._supervision.standby_listener = listener

    def start(self, *, available_now: bool = False, console: bool = False) -> None:
        """Check everything, then start; return while the workers come up: `wait_until_running`
        waits for them.

        Without `bootstrap.servers` the local broker serves until `close`, as with `run`, and topics
        that are missing there are made; `bootstrap_servers` says where it is. With `console`, a
        page shows it all, and its address is printed.

        With `available_now` the application ends by itself when it has processed what its topics
        hold at this moment, and all that comes of it: topics that it writes itself are read until
        nothing more comes.

        ```python
        with KafkaStreams(builder.build(), {"application.id": "shop"}) as streams:
            streams.start()
            streams.wait_until_running()
        ```
        """
        try:
            self._start(available_now=available_now, console=console)
            # The last line before the last state: a notebook shows no more when its cell is done.
            self._at_end.callback(show_live(ForegroundView(self)))
        except StreamsError as error:
            raise without_internal_frames(error) from error.__cause__

    def _start(self, *, available_now: bool, console: bool) -> None:
        self._invocation.answered = True
        if self._invocation.instead is not None:
            msg = (
                "this command takes the application where run() is called, and start() goes on "
                "without it: call run(), or leave a Topology at the top level of the program"
            )
            raise StreamsError(msg)
        check_session(self._host, self._spark)
        with self._states.lock:
            if self._starter or self.state is not State.CREATED:
                now = "being started" if self.state is State.CREATED else self.state.value
                msg = f"an application can be started once; this is {now}; make a new one"
                raise StreamsError(msg)
            self._starter = threading.get_ident()
            self._start_is_over.clear()
        self._is_bounded = available_now
        at_end = self._at_end
        try:
            display = display_for(self.application_id, quiet=self._invocation.quiet)
            self._find_cluster(at_end, display)
            with Launch(self._host, self._spark, self._config) as launch:
                self._start_on(launch, available_now=available_now, console=console)
        except BaseException:
            at_end.close()
            self._starter = 0  # it may be tried again
            raise
        finally:
            self._start_is_over.set()
        if self._states.ended:  # closed meanwhile, by another thread
            at_end.close()

    def _start_on(self, launch: Launch, *, available_now: bool, console: bool) -> None:
        # Only an application that starts needs its host and the Kafka client.
        from penstock._engine.control.replanner import Replanner  # noqa: PLC0415
        from penstock._engine.kafka.application.preparation import bounded, prepare  # noqa: PLC0415

        if self._topology.initial_tables:
            from penstock._engine.kafka.client.clients import reading_committed  # noqa: PLC0415
            from penstock._engine.spark.between.initial_tables import write_initial_tables  # noqa: PLC0415

            self._config = reading_committed(self._config)
            write_initial_tables(self._topology, self._config)
        console = console or self._invocation.console
        if console:
            self._config = served_anywhere(self._config)
        blueprint = prepare(self._topology, self._config, launch.start_session)
        empty_files(self._topology.nodes.values())
        if available_now:
            blueprint = bounded(blueprint)
        self._supervision.follow_plan(blueprint)
        self._serving = self._serve(blueprint)
        if console and self._serving is not None:
            line = self._serving.console_line(to_terminal=sys.stderr.isatty())
            print(line, file=sys.stderr, flush=True)
        self._states.move(State.REBALANCING)
        if self._states.ended:  # closed meanwhile, by another thread
            self._end_serving()
            return
        try:
            query = self._start_query(blueprint, launch)
        except BaseException:
            self._end_serving()
            raise
        if self._serving is not None:
            query.served_at = self._serving.figures()
        with self._states.lock:
            closed = self.state in ENDING
            if not closed:
                self._query = query
        if closed:  # by another thread, which waits for this
            self._has_finished = query.close(_CLOSE_SECONDS)
            self._end_serving()
            return
        self._supervision.follow_query(query)
        query.follow_reports()
        replanner = Replanner(self._topology, blueprint, query, self._supervision.follow_plan)
        self._supervision.watch(query, replanner)

    def run(
        self, *, available_now: bool = False, quiet: bool = False, panel: Panel | None = None
    ) -> None:
        """Start, show how it goes, and return when the application ends: by SIGINT or SIGTERM, by
        `close`, or by itself (`available_now`, see `start`).

        Without `bootstrap.servers` the local broker serves, and topics that are missing there are
        made. Progress goes to standard error, unless `quiet`; above it the lines that
        `panel(figures, width)` gives, drawn again five times a second.

        Raises:
            ProcessingError: a record failed; a note holds the traceback of the user's code.
            StreamsError: the application cannot start, or failed.

        ```python
        KafkaStreams(builder.build(), {"application.id": "shop"}).run()
        ```
        """
        wishes = self._invocation
        wishes.answered = True
        if wishes.instead is not None:
            wishes.instead(self._topology, self._config)
            return
        display = display_for(
            self.application_id, quiet=quiet or wishes.quiet, panel=panel or wishes.panel
        )

        def bring_up(stack: ExitStack) -> None:
            if self.state is State.CREATED:
                self._find_cluster(stack, display)
                if self._host == "local":
                    display.say(DEVELOPMENT)
                self.start(available_now=available_now or wishes.available_now)
                if self._serving is not None:
                    display.say(self._serving.line())

        self._supervision.failure_is_raised = True
        try:
            timings = StartTimes(process_age_seconds()) if wishes.timings else None
            Foreground(ForegroundView(self), display, timings).run(bring_up)
        except KeyboardInterrupt:
            self._interrupted = True
            raise
        except StreamsError as error:
            raise without_internal_frames(error) from error.__cause__
        if self.failure is not None:
            raise self.failure.error()

    def clean_up(self) -> None:
        """Delete the local state of this application on this machine, and what engines of your own
        keep elsewhere for its tasks; the changelogs have it all.

        Raises:
            StreamsError: the application runs, here or in another process.

        ```python
        streams.clean_up()  # before start or after close
        streams.start()
        ```
        """
        if self.state is not State.CREATED and not self._states.ended:
            msg = (
                "local state can be cleaned up before start or after close; the application is "
                f"{self.state.value}"
            )
            raise StreamsError(msg)
        config = self._config
        if not config.names_cluster:
            from penstock._engine.kafka.local_broker.embedded import with_state_beside_broker  # noqa: PLC0415

            config = with_state_beside_broker(config)
        directory, topology, name = config.state_dir, self._topology, config.application_id
        StateDirectory(directory, name).clean_up(
            lambda task: destroy_own_state(topology, name, task)
        )

    def close(self, timeout: Duration | None = None) -> bool:
        """Stop when the workers have committed and left. Return whether all did in time.

        While another thread closes it, wait for that; within `close` itself, in a signal handler or
        a listener, return False at once. So too in a function that a worker of this process calls:
        the worker stops after that, and `timeout` counts for it.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.close(minute), streams.state.name
        (True, 'NOT_RUNNING')
        """
        if self._interrupted:  # the user does not want to wait
            return False
        seconds = _CLOSE_SECONDS if timeout is None else to_milliseconds(timeout, "timeout") / 1000
        if self._states.ended:
            return self._has_finished
        if self._query is not None and self._query.runs_this_thread():
            if not self._closer:
                threading.Thread(
                    target=self.close, args=(timeout,), name="penstock-close", daemon=True
                ).start()
            return False
        if not self._begin_close(seconds):
            return False
        try:
            return self._close(seconds)
        finally:
            self._closer = 0
            self._states.wake()

    def _begin_close(self, seconds: float) -> bool:
        """Wait until no other call is closing the application; return whether none is in time."""
        thread, states = threading.get_ident(), self._states
        with states.lock:
            if self._closer == thread or not states.wait_for(lambda: not self._closer, seconds):
                return False
            self._closer = thread
            return True

    def _close(self, seconds: float) -> bool:
        with self._states.lock:
            if self.state is State.CREATED:
                self._states.move(State.PENDING_SHUTDOWN)
                self._states.move(State.NOT_RUNNING)
            if self._states.ended:  # by the call that this one has waited for
                return self._has_finished
            if self.state is not State.PENDING_ERROR:
                self._states.move(State.PENDING_SHUTDOWN)
            query = self._query
        finished = self._await_start(seconds) if query is None else query.close(seconds)
        self._has_finished = finished
        self._end_serving()
        # Before the last state shows: another application may start as soon as it does.
        self._at_end.close()
        with self._states.lock:
            self._states.move(
                State.ERROR if self.state is State.PENDING_ERROR else State.NOT_RUNNING
            )
        return finished

    def _await_start(self, seconds: float) -> bool:
        """Wait until `start`, on another thread, has ended the workers that have begun already;
        return whether they finished.
        """
        has_workers = self._starting in {"STARTING QUERY", "STARTING WORKERS"}
        if not has_workers or self._starter in {0, threading.get_ident()}:
            return True
        return self._start_is_over.wait(seconds) and self._has_finished

    def wait_until(self, state: State, timeout: Duration) -> bool:
        """Wait for a state; return whether it was reached.

        >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
        >>> streams.wait_until(State.CREATED, minute)
        True
        """
        return self._states.wait_until(state, to_milliseconds(timeout, "timeout") / 1000)

    def wait_until_running(self, timeout: Duration = _RUNNING_TIMEOUT) -> bool:
        """Wait until all tasks run; return whether they do in time. A bounded run that has ended
        has run.

        Raises:
            ProcessingError: a record failed; a note holds the traceback of the user's code.
            StreamsError: the application has not been started, has failed, or is closed.

        ```python
        streams.start()
        if not streams.wait_until_running(timedelta(minutes=2)):
            print(streams.state, streams.trouble)
        ```
        """
        if self.state is State.CREATED:
            msg = "the application has not been started; call start() before wait_until_running()"
            raise StreamsError(msg)
        if self.wait_until(State.RUNNING, timeout):
            return True
        if self.failure is not None:
            raise self.failure.error()
        if self._is_bounded and self.state is State.NOT_RUNNING:
            return True
        if self._states.ended:
            msg = f"the application does not come up: it is {self.state.value}"
            raise StreamsError(msg)
        return False

    def pause(self) -> None:
        """Stop processing and timers; tasks are kept.

        ```python
        streams.pause()
        move_the_table()
        streams.resume()
        ```
        """
        self._started_query().pause(True)

    def resume(self) -> None:
        """Go on after `pause`.

        ```python
        streams.resume()
        ```
        """
        self._started_query().pause(False)

    @property
    def is_paused(self) -> bool:
        """Whether `pause` was called, and `resume` not since. Java: KafkaStreams.isPaused.

        ```python
        if streams.is_paused:
            streams.resume()
        ```
        """
        return self._query is not None and self._query.is_paused

    def add_stream_thread(self) -> int | None:
        """Add a slot from the next turn on. Return how many there are then, None if the executors
        have no core left for it.

        ```python
        if streams.add_stream_thread() is None:
            print("the executors have no core left")
        ```
        """
        return self._working_query().add_slot()

    def remove_stream_thread(self) -> int | None:
        """Remove a slot from the next turn on; its worker hands its tasks over. Return how many
        there are then, None if it is the last one, which stays.

        ```python
        streams.remove_stream_thread()
        ```
        """
        return self._working_query().remove_slot()

    def reports(self) -> dict[str, Report]:
        """Return the last report of each worker.

        ```python
        for worker, report in streams.reports().items():
            print(worker, report.state)
        ```
        """
        return self._started_query().members()

    def metrics(self) -> dict[MetricName, MetricValue]:
        """Return the metrics of this instance: Kafka Streams' names, groups and tags.

        Workers send theirs once a second. What is not known now is left out: before the workers
        start, all but what is known of this instance, such as its state.
        `penstock.metrics.to_prometheus` writes them for Prometheus.

        ```python
        from penstock.metrics import to_prometheus

        print(to_prometheus(streams.metrics()))
        ```
        """
        client: dict[str, MetricValue] = {
            "version": version("penstock"),
            "application-id": self.application_id,
            "state": self.state.name,
            "topology-description": str(self._topology.describe()),
            "recording-level": self._config.recording_level,
        }
        if self._query is None:
            return application_metrics(client, self.application_id, {})
        return self._query.metrics(client)

    def progress(self) -> dict[str, Any] | None:
        """Return Spark's last progress report of the query.

        `sources[0].latestOffset` says how the application was when the turn began (`asOf`): lag,
        workers, tasks running and restoring, entries of the stores, records in and out of all time
        and of the turn before. On the development host these figures are those of this moment, and
        not inside anything else.

        ```python
        print(streams.progress())
        ```
        """
        progress = self._started_query().progress()
        return None if progress is None else Progress(progress)

    def _repr_html_(self) -> str:
        figures = measure(ForegroundView(self), Meter(monotonic()))
        return application_table(self.application_id, figures, self._topology.to_svg())

    def __enter__(self) -> KafkaStreams:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _find_cluster(self, stack: ExitStack, display: Display) -> None:
        has_told, self._has_told_cluster = self._has_told_cluster, True
        if self._config.names_cluster:
            is_told = self._invocation.tells_cluster or self._config.has_cluster_of_environment
            if is_told and not has_told:
                display.say(cluster_line(self._config, self._invocation.settings))
        else:
            from penstock._engine.kafka.local_broker.embedded import embedded_cluster  # noqa: PLC0415

            check_local_broker(self._host, self._spark, self._config)
            # A start that failed can be tried again: it then looks for a broker anew.
            stack.callback(setattr, self, "_config", self._config)
            if self._invocation.open_broker is not None:
                self._invocation.open_broker()
            cluster = embedded_cluster(self._topology, self._config, display.say)
            self._config = stack.enter_context(cluster)

    def _start_query(self, blueprint: Blueprint, launch: Launch) -> AnyHost:
        from penstock._engine.control.application_host import Surroundings  # noqa: PLC0415
        from penstock._engine.http.clients.driver_client import HttpDriverClient, own_driver  # noqa: PLC0415

        own, client = own_driver(self._config, self._serving), HttpDriverClient(self._config)
        surroundings = Surroundings(
            self._supervision.take_report, own, client, partial(setattr, self, "_starting")
        )
        return launch.start(blueprint, surroundings)

    def _serve(self, blueprint: Blueprint) -> Serving | None:
        from penstock._engine.http.serving import serve  # noqa: PLC0415

        directory = StateDirectory(self._config.state_dir, self.application_id)
        if self._config.as_mapping()["penstock.http.port"] is not None:
            directory.check_owner()
        return serve(ServedApplication(self, blueprint), self._config, directory.path)

    def console_link(self) -> str:
        """Return an address of the console, which works for one browser, once.

        Raises:
            StreamsError: the application serves no HTTP.

        ```python
        streams.start(console=True)
        print(streams.console_link())
        ```
        """
        if self._serving is None:
            msg = (
                "the application serves no console now: start it with start(console=True), or set "
                "'penstock.http.port'"
            )
            raise StreamsError(msg)
        return self._serving.console_link()

    def _end_serving(self) -> None:
        serving, self._serving = self._serving, None
        if serving is not None:
            serving.close()

    def _started_query(self) -> AnyHost:
        if self._query is None:
            msg = "the application has not been started; call start() or run() first"
            if self._starter and not self._states.ended:
                msg = "the application starts: its workers are not there yet; ask again in a moment"
            raise StreamsError(msg)
        return self._query

    def _working_query(self, what: str = "slots can be changed") -> AnyHost:
        if self.state not in {State.REBALANCING, State.RUNNING}:
            why = "" if self.failure is None else f": {self.failure.line}"
            msg = f"{what} while it runs; the application is {self.state.value}{why}"
            raise StreamsError(msg)
        return self._started_query()

    def _only_before_start(self, what: str) -> None:
        if self.state is not State.CREATED:
            msg = f"{what} must be set before start; the application is {self.state.value}"
            raise StreamsError(msg)

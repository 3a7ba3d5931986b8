"""The parts of a live run, watched: inputs, the application, and the queries that read its outputs.

One thread looks at all of them. The first that fails ends the others, and its failure, with the
name of the part, is the error of the run.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any, Protocol

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock._clock import monotonic
from penstock._engine.control.protocol.messages import WorkerFailure
from penstock._engine.control.start_attempts import StartAttempts
from penstock._engine.spark.lost_processes import did_not_start, why_not_started
from penstock.application_states import State
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.2
_START_LOOK_SECONDS = 0.05
_NOT_READY = {"Initializing StreamExecution", "Initializing sources"}
"""What Spark says of a query whose sources are not there yet."""
_ENDED = ("Terminated", "Stopped")
"""How its words begin when a query has ended, some time before it is no longer active."""
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Cut): .*", re.M)
_BY_JAVA = re.compile(r"^(?:: |Caused by: )[\w.$]+: (.*)", re.M)
_GONE = (Py4JError, OSError)
"""What a call into a JVM raises that is gone."""
_FAILED = {State.PENDING_ERROR, State.ERROR}


class Engine(Protocol):
    """A live application."""

    @property
    def state(self) -> State: ...
    @property
    def failure(self) -> WorkerFailure | None: ...
    def start(self, *, available_now: bool = False) -> None: ...
    def close(self) -> bool: ...


class LiveRun:
    """Started and stopped together. `when_ended` is called once, when the application has ended and
    committed; `resources` are released after it, the local broker, say.
    """

    def __init__(
        self,
        session: SparkSession,
        engine: Engine,
        resources: ExitStack,
        when_ended: Callable[[], None] = lambda: None,
    ) -> None:
        self.session = session
        """The session of all parts."""
        self._engine = engine
        self._resources = resources
        self._when_ended: Callable[[], None] | None = when_ended
        self._inputs: dict[str, StreamingQuery] = {}
        self._starts: dict[str, tuple[Callable[[], StreamingQuery], StartAttempts]] = {}
        self._ends_by_itself = False
        self._outputs: dict[str, StreamingQuery] = {}
        self._seen: set[str] = set()
        self._starting = 0
        # Found while outputs are being started: it is not known yet which of them are those.
        self._unclear: dict[str, StreamingQuery] = {}
        self._marks: set[str] = set()
        self._failure: StreamsError | None = None
        self._stopping, self._ended = threading.Event(), threading.Event()
        self._is_stopped = self._engine_has_ended = False
        # A signal handler may call `close` while the same thread is in it: that call returns.
        self._lock = threading.RLock()
        self._finding = threading.Lock()
        self._watcher = threading.Thread(target=self._watch, name="penstock-between", daemon=True)

    @property
    def failure(self) -> StreamsError | None:
        """What ended the run, None if nothing did."""
        return self._failure

    def start_input(self, topic: str, start: Callable[[], StreamingQuery]) -> None:
        """Start the query that writes an input; again, if its Python processes do not start."""
        part = f"input {topic!r}"
        self._starts[part] = start, StartAttempts()
        try:
            self._inputs[part] = start()
        except PySparkException as error:
            msg = f"{part} cannot be started: {why(error)}"
            raise StreamsError(msg) from error

    def start_output(self, start: Callable[[], StreamingQuery]) -> StreamingQuery:
        """Start a query that reads outputs; again, if its Python process does not start. Return it
        when it has one, or has failed.
        """
        attempts = StartAttempts()
        query = self._started(start)
        while _is_late(query) and attempts.may_follow(monotonic()) and not self._is_stopped:
            _log.warning("the Python process of an output query did not start: tried again")
            try:
                query = self._started(start)
            except PySparkException as error:
                # Some sinks begin with an empty checkpoint only; that of memory is one.
                _log.warning("it cannot be started again: %s", why(error))
                break
        self._outputs[_name_of(query)] = query
        if self._is_stopped:
            _stop_queries({"": query})
        return query

    def _started(self, start: Callable[[], StreamingQuery]) -> StreamingQuery:
        """Start a query that the watch leaves alone until it is an output."""
        with self._finding:
            self._starting += 1
        started: list[str] = []
        try:
            query = start()
            started.append(str(query.runId))
        finally:
            with self._finding:
                self._starting -= 1
                self._seen.update(started)
                for run in started:
                    self._unclear.pop(run, None)
        return query

    def write_input(self, topic: str, write: Callable[[], None]) -> None:
        """Write an input that has an end.

        Raises:
            StreamsError: it failed.
        """
        try:
            write()
        except (PySparkException, *_GONE) as error:
            part = f"input {topic!r}"
            raise _failure(part, why(error), error) from error

    def run_to_the_end(self) -> None:
        """Wait until the inputs end by themselves, then process what they have written.

        Raises:
            StreamsError: a part failed.
        """
        self._ends_by_itself = True
        self._wait_for(lambda: not any(query.isActive for query in self._inputs.values()))
        self._inputs.clear()
        self._engine.start(available_now=True)
        self._wait_for(lambda: self._engine.state is State.NOT_RUNNING)
        self._engine_has_ended = True
        self._note_engine_ended()
        self._ended.set()

    def start_engine(self) -> None:
        """Start the application beside its inputs, which go on."""
        self._engine.start()

    def watch(self) -> None:
        """Watch the parts from now on, on a thread of its own."""
        self._watcher.start()

    def follow(self, mark: str) -> None:
        """Count queries as parts whose plan has this text: they read an output."""
        self._marks.add(mark)

    def wait(self, seconds: float | None) -> bool:
        """Wait until the run has ended; return whether it has.

        Raises:
            StreamsError: a part failed.
        """
        ended = self._ended.wait(seconds)
        if self._failure is not None and ended:
            raise self._failure
        return ended

    def close(self) -> None:
        """Stop all parts: first the inputs, then the application, then the outputs."""
        self._stopping.set()
        if self._watcher.is_alive() and self._watcher is not threading.current_thread():
            self._watcher.join()
        self._stop()

    def _stop(self) -> None:
        with self._lock:
            if self._is_stopped:
                return
            self._is_stopped = True
            with ExitStack() as ending:
                # In reverse, each whatever the others raise: Ctrl-C ends a wait, and is told later.
                ending.callback(self._ended.set)
                ending.callback(self._resources.close)
                # It asks the cluster, which may be away: all parts are stopped before.
                ending.callback(self._note_engine_ended)
                ending.callback(self._stop_outputs)
                ending.callback(self._close_engine)
                _stop_queries(self._inputs)

    def _close_engine(self) -> None:
        self._engine_has_ended = self._engine.close()

    def _stop_outputs(self) -> None:
        with suppress(*_GONE, PySparkException):
            self._find_outputs()
        _stop_queries({**self._outputs, **self._unclear})

    def _note_engine_ended(self) -> None:
        when_ended, self._when_ended = self._when_ended, None
        if when_ended is None or not self._engine_has_ended:
            return
        try:
            when_ended()
        except Exception as error:  # whatever it is, the run has ended
            # What it has done stays right without it.
            _log.warning("the end of the run could not be noted: %s", why(error))

    def _watch(self) -> None:
        while not self._stopping.wait(_LOOK_SECONDS):
            try:
                failure = self._look()
            except Exception as error:  # without this thread the run would never end
                said = f"{type(error).__name__}: {why(error)}"
                failure = _failure("the watch over the parts", said, error)
            if failure is not None:
                self._failure = failure
                self._stop()
                return

    def _wait_for(self, is_done: Callable[[], bool]) -> None:
        while True:
            done, starts = is_done(), list(self._inputs.values())
            failure = self._look()
            if failure is not None:
                self._failure = failure
                raise failure
            if done and starts == list(self._inputs.values()):  # none was started again
                return
            self._stopping.wait(_LOOK_SECONDS)

    def _look(self) -> StreamsError | None:
        """Return the failure of the first part that failed, None if all is well."""
        try:
            self._find_outputs()
            # A copy: another thread may start an output meanwhile.
            for part, query in {**self._inputs, **self._outputs}.items():
                failure = self._failure_of(part, query)
                if failure is not None:
                    return failure
        except _GONE as error:
            return _failure("Spark", f"its JVM is gone ({type(error).__name__})", error)
        return self._engine_failure()

    def _failure_of(self, part: str, query: StreamingQuery) -> StreamsError | None:
        if query.isActive:
            return None
        error = query.exception()
        if error is not None:
            try:
                if part in self._inputs and did_not_start(str(error)) and self._restart(part):
                    return None
            except (PySparkException, StreamsError) as refusal:
                return _failure(part, f"it cannot be started again: {why(refusal)}", refusal)
            return _failure(part, self._why(error), error)
        if part in self._inputs and not self._ends_by_itself:
            return _failure(part, "its query was stopped", None)
        return None

    def _restart(self, part: str) -> bool:
        """Start an input again, unless that was in vain too often; return whether it was done."""
        start, attempts = self._starts[part]
        if not attempts.may_follow(monotonic()):
            return False
        _log.warning("%s: its Python process did not start; the query is started again", part)
        self._inputs[part] = start()
        return True

    def _why(self, error: Exception) -> str:
        if did_not_start(str(error)):
            return why_not_started(self.session.sparkContext.pythonExec)
        return why(error)

    def _engine_failure(self) -> StreamsError | None:
        state, failure = self._engine.state, self._engine.failure
        if state in _FAILED and failure is not None:
            error = failure.error()
            return _failure("the application", failure.message, error)
        if state is State.NOT_RUNNING and not self._ends_by_itself:
            return _failure("the application", "it was closed", None)
        return None

    def _find_outputs(self) -> None:
        """Find the queries of the session that read an output. While one is being started here,
        those that are found wait: it may be among them.
        """
        # Without waiting: a signal handler may have interrupted the thread that holds it.
        if not self._finding.acquire(blocking=False):
            return
        try:
            for query in self.session.streams.active:
                run = str(query.runId)
                if run in self._seen:
                    continue
                plan = _plan_of(query)
                # A copy: another thread may take the DataFrame of an output meanwhile.
                if any(mark in plan for mark in self._marks.copy()):
                    self._unclear[run] = query
                self._seen.add(run)
            if not self._starting:
                self._outputs.update({_name_of(one): one for one in self._unclear.values()})
                self._unclear.clear()
        finally:
            self._finding.release()


def _name_of(query: StreamingQuery) -> str:
    return f"output query {query.name or str(query.runId)!r}"


def _is_late(query: StreamingQuery) -> bool:
    """Wait until a query has its sources, or has failed; return whether its Python process did not
    start in time.
    """
    waiter = threading.Event()
    while query.isActive:
        if query.lastProgress is not None:
            return False
        message = query.status["message"]
        if message not in _NOT_READY and not message.startswith(_ENDED):
            return False
        waiter.wait(_START_LOOK_SECONDS)
    error = query.exception()
    return error is not None and did_not_start(str(error))


def _plan_of(query: StreamingQuery) -> str:
    """Return the plan of a query as it was written down. The plan that Spark runs may not be there
    yet, and only its own thread may make it.
    """
    wrapped: Any = query._jsq
    return str(wrapped.streamingQuery().analyzedPlan().toString())


def _stop_queries(queries: dict[str, StreamingQuery]) -> None:
    for query in queries.values():
        with suppress(*_GONE, PySparkException):
            query.stop()


def _failure(part: str, why: str, cause: BaseException | None) -> StreamsError:
    error = StreamsError(f"{part} failed, so all parts of the run were ended: {why}")
    error.__cause__ = cause
    for note in getattr(cause, "__notes__", ()):
        error.add_note(note)
    return error


def why(error: Exception) -> str:
    """Return what a failed query says, without the stacks of the JVM: what Python raised, or why a
    call of it into the JVM failed.
    """
    text = str(error)
    raised = _RAISED.findall(text)
    if raised and raised[-1].startswith("py4j."):
        # "An error occurred while calling o36.collectToPython."; behind it what and, often, why.
        causes = _BY_JAVA.findall(text, text.rindex(raised[-1]))
        raised = ["; ".join(dict.fromkeys(map(str.strip, causes))) or raised[-1]]
    if raised:
        return str(raised[-1]).strip()
    return text.partition("\n\nJVM stacktrace")[0].partition("\n\tat ")[0].strip()

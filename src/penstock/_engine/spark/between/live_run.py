"""The parts of a live run, watched: inputs, the application, and the queries that read its outputs.

One thread looks at all of them. The first that fails ends the others, and its failure, with the
name of the part, is the error of the run.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any, Protocol

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock._engine.control.protocol.messages import WorkerFailure
from penstock.application_states import State
from penstock.errors import StreamsError

_LOOK_SECONDS = 0.2
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
    """Started and stopped together. `resources` are released at the end, the local broker, say."""

    def __init__(self, session: SparkSession, engine: Engine, resources: ExitStack) -> None:
        self.session = session
        """The session of all parts."""
        self._engine = engine
        self._resources = resources
        self._inputs: dict[str, StreamingQuery] = {}
        self._ends_by_itself = False
        self._outputs: dict[str, StreamingQuery] = {}
        self._seen: set[str] = set()
        self._marks: set[str] = set()
        self._failure: StreamsError | None = None
        self._stopping, self._ended = threading.Event(), threading.Event()
        self._is_stopped = False
        self._lock = threading.Lock()
        self._watcher = threading.Thread(target=self._watch, name="penstock-between", daemon=True)

    @property
    def failure(self) -> StreamsError | None:
        """What ended the run, None if nothing did."""
        return self._failure

    def start_input(self, topic: str, start: Callable[[], StreamingQuery]) -> None:
        """Start the query that writes an input."""
        try:
            self._inputs[f"input {topic!r}"] = start()
        except PySparkException as error:
            msg = f"input {topic!r} cannot be started: {why(error)}"
            raise StreamsError(msg) from error

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
            try:
                _stop_queries(self._inputs)
                self._engine.close()
                with suppress(*_GONE, PySparkException):
                    self._find_outputs()
                _stop_queries(self._outputs)
            finally:
                self._resources.close()
                self._ended.set()

    def _watch(self) -> None:
        while not self._stopping.wait(_LOOK_SECONDS):
            failure = self._look()
            if failure is not None:
                self._failure = failure
                self._stop()
                return

    def _wait_for(self, is_done: Callable[[], bool]) -> None:
        while True:
            done = is_done()
            failure = self._look()
            if failure is not None:
                self._failure = failure
                raise failure
            if done:
                return
            self._stopping.wait(_LOOK_SECONDS)

    def _look(self) -> StreamsError | None:
        """Return the failure of the first part that failed, None if all is well."""
        try:
            self._find_outputs()
            for part, query in (*self._inputs.items(), *self._outputs.items()):
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
            return _failure(part, why(error), error)
        if part in self._inputs and not self._ends_by_itself:
            return _failure(part, "its query was stopped", None)
        return None

    def _engine_failure(self) -> StreamsError | None:
        state, failure = self._engine.state, self._engine.failure
        if state in _FAILED and failure is not None:
            error = failure.error()
            return _failure("the application", failure.message, error)
        if state is State.NOT_RUNNING and not self._ends_by_itself:
            return _failure("the application", "it was closed", None)
        return None

    def _find_outputs(self) -> None:
        """Find the queries of the session that read an output."""
        for query in self.session.streams.active:
            run = str(query.runId)
            if run in self._seen:
                continue
            plan = _plan_of(query)
            if any(mark in plan for mark in self._marks):
                self._outputs[f"output query {query.name or run!r}"] = query
            self._seen.add(run)


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

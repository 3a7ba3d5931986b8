"""The states of an application, and which follows which. Java: KafkaStreams.State."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from enum import Enum

from penstock._clock import monotonic
from penstock.errors import StreamsError

_log = logging.getLogger(__name__)


class State(Enum):
    """The states of an application. Java: KafkaStreams.State.

    >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
    >>> streams.state is State.CREATED
    True
    """

    CREATED = "CREATED"
    REBALANCING = "REBALANCING"
    RUNNING = "RUNNING"
    PENDING_SHUTDOWN = "PENDING_SHUTDOWN"
    NOT_RUNNING = "NOT_RUNNING"
    PENDING_ERROR = "PENDING_ERROR"
    ERROR = "ERROR"


MOVES: dict[State, frozenset[State]] = {
    State.CREATED: frozenset({State.REBALANCING, State.PENDING_SHUTDOWN}),
    State.REBALANCING: frozenset({State.RUNNING, State.PENDING_SHUTDOWN, State.PENDING_ERROR}),
    State.RUNNING: frozenset({State.REBALANCING, State.PENDING_SHUTDOWN, State.PENDING_ERROR}),
    State.PENDING_SHUTDOWN: frozenset({State.NOT_RUNNING}),
    State.PENDING_ERROR: frozenset({State.ERROR}),
    State.NOT_RUNNING: frozenset(),
    State.ERROR: frozenset(),
}
"""Where each state may lead."""

ENDING = frozenset({State.PENDING_SHUTDOWN, State.PENDING_ERROR, State.NOT_RUNNING, State.ERROR})
"""The states in which every other move is ignored, as in Java."""


StateListener = Callable[[State, State], None]
"""Called with the new state and the old one.

>>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
>>> streams.set_state_listener(lambda new, old: print(f"{old.name} -> {new.name}"))
>>> _ = streams.close()
CREATED -> PENDING_SHUTDOWN
PENDING_SHUTDOWN -> NOT_RUNNING
"""


def name_of(function: object) -> str:
    """Return the name of a function of the user's, with its module, for a message."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', '?')}.{name}"


class StateMachine:
    """The state of one application: refuses moves that are not in `MOVES`, calls the listener after
    each move. Hold `lock` to look at the state and move in one piece.
    """

    def __init__(self) -> None:
        self.state = State.CREATED
        self.listener: StateListener | None = None
        self.lock = threading.RLock()
        self._changed = threading.Condition(self.lock)

    @property
    def ended(self) -> bool:
        """Yes in the last states, which are never left."""
        return self.state in {State.NOT_RUNNING, State.ERROR}

    def move(self, state: State) -> None:
        """Go to a state; does nothing if the application is there, or is ending.

        Raises:
            StreamsError: no move leads there.
        """
        with self._changed:
            old = self.state
            if state is old:
                return
            if state not in MOVES[old]:
                if old in ENDING:
                    return
                msg = f"an application cannot go from {old.value} to {state.value}"
                raise StreamsError(msg)
            self.state = state
            self._changed.notify_all()
        self._tell(state, old)

    def _tell(self, state: State, old: State) -> None:
        """Call the listener. What it raises is logged: an application whose mail server is away
        must be closed all the same.
        """
        if self.listener is None:
            return
        try:
            self.listener(state, old)
        except Exception:
            _log.exception(
                "state listener %s failed at %s, which stands", name_of(self.listener), state.value
            )

    def wait_until(self, state: State, seconds: float) -> bool:
        """Wait for a state; return whether it was reached. Does not wait on after the end."""
        with self._changed:
            self.wait_for(lambda: self.state is state or self.ended, seconds)
            return self.state is state

    def wait_for(self, is_so: Callable[[], bool], seconds: float) -> bool:
        """Wait until `is_so`, which is asked at each change and `wake`; return whether it is. The
        lock is free meanwhile, also if the caller holds it.
        """
        until = monotonic() + seconds
        with self._changed:
            while not (reached := is_so()):
                left = until - monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            return reached

    def wake(self) -> None:
        """Have those that wait look again."""
        with self._changed:
            self._changed.notify_all()


class UncaughtResponse(Enum):
    """What to do about a worker that failed. Java: StreamThreadExceptionResponse.

    >>> streams = KafkaStreams(builder.build(), {"application.id": "shop"})
    >>> streams.set_uncaught_exception_handler(lambda failure: UncaughtResponse.REPLACE_THREAD)
    """

    REPLACE_THREAD = "replace_thread"
    """Spark starts another worker; the application goes on."""
    SHUTDOWN_CLIENT = "shutdown_client"
    """End this instance of the application."""
    SHUTDOWN_APPLICATION = "shutdown_application"
    """End all instances with this `application.id`: a notice in the task topic asks the others,
    which read it from where it ended when they began, so it stops no later one.
    """

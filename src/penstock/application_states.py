"""The states of an application, and which follows which. Java: KafkaStreams.State."""

from __future__ import annotations

from enum import Enum


class State(Enum):
    """The states of an application. Java: KafkaStreams.State."""

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


class UncaughtResponse(Enum):
    """What to do about a worker that failed. Java: StreamThreadExceptionResponse."""

    REPLACE_THREAD = "replace_thread"
    """Let Spark start another worker; the application goes on."""
    SHUTDOWN_CLIENT = "shutdown_client"
    """End this instance of the application."""
    SHUTDOWN_APPLICATION = "shutdown_application"
    """End all instances with this `application.id`: a notice in the task topic asks the others,
    which read it from where it ended when they began, so it stops no later one.
    """

"""An application for tests of what runs beside it."""

from __future__ import annotations

from penstock.application_states import State


class Idle:
    """An application that has nothing to do."""

    state = State.RUNNING
    failure = None

    def start(self, *, available_now: bool = False) -> None:
        pass

    def close(self) -> bool:
        return True

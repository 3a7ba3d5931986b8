"""What ends a worker is told, also where its stores cannot be closed after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.kafka.tasks.task_host import TaskHost
from penstock.errors import StateError


class Unclosable(TaskHost):
    """A host whose disk is full."""

    def __init__(self) -> None:
        self.member_id = "member"

    def close(self) -> None:
        raise StateError("cannot be closed", Path("state"))


def test_an_error_while_closing_does_not_hide_what_ended_the_worker(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(StateError, match="no space left"), Unclosable():
        raise StateError("no space left", Path("state"))
    assert caplog.messages == ["worker=member: cannot be closed"]


def test_an_error_while_closing_is_told_where_there_is_no_other() -> None:
    with pytest.raises(StateError, match="cannot be closed"), Unclosable():
        pass

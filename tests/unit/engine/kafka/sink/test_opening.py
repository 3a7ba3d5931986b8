"""Which task opens a run."""

from __future__ import annotations

import pytest

from penstock import _clock as clock
from penstock._engine.kafka.sink.journal_state import JournalState, Run
from penstock._engine.kafka.sink.opening import OpeningWatch


def test_another_task_is_waited_for_while_it_claims_the_lock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    watch = OpeningWatch()
    assert not watch.is_another_at_it(JournalState(), "run")
    assert not watch.is_another_at_it(JournalState(run=Run("earlier", is_open=True)), "run")
    now[0] = 100
    state = JournalState(run=Run("run", is_open=False), claims={"opening": "first"})
    assert watch.is_another_at_it(state, "run")
    now[0] = 125
    assert watch.is_another_at_it(state, "run")
    state.claims["opening"] = "second"
    assert watch.is_another_at_it(state, "run")
    now[0] = 154
    assert watch.is_another_at_it(state, "run")
    now[0] = 155
    assert not watch.is_another_at_it(state, "run")

"""The lease of an engine, and what its process keeps in the end; turns are tested on Spark."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from penstock._engine.control import engine_thread
from penstock._engine.control.engine_thread import (
    EngineThread,
    Turn,
    _free_clients,
    take_turn,
)
from penstock._engine.control.program import ProgramHere, ShippedProgram
from penstock._engine.control.protocol.messages import ControlAddress, Instruction


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    """What a turn sets aside is not left to the tests that follow in this process."""
    yield
    gc.unfreeze()


class InACircle:
    """As a worker and its group consumer, which calls it back."""

    def __init__(self) -> None:
        self.itself = self


def test_what_is_set_aside_between_turns_is_freed_when_an_engine_ends() -> None:
    circle = InACircle()
    held = weakref.ref(circle)
    gc.freeze()
    del circle
    _free_clients(own_process=True)
    assert held() is None


@pytest.fixture
def frozen() -> Iterator[int]:
    """What a user has frozen: how many objects."""
    gc.freeze()
    yield gc.get_freeze_count()
    gc.unfreeze()


def test_what_a_user_has_frozen_stays_so_when_an_engine_ends(frozen: int) -> None:
    _free_clients(own_process=False)
    # Some of it may be freed, as it is needed no longer.
    assert gc.get_freeze_count() > frozen / 2


def test_an_engine_that_cannot_begin_leaves_the_users_garbage_collector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = SimpleNamespace(member_id="one", state_location="here")
    blueprint: Any = SimpleNamespace(
        config=SimpleNamespace(num_standby_replicas=0), task_topic="topic"
    )
    worker = SimpleNamespace(admin=None)

    def refuse(*_arguments: object) -> None:
        msg = "can't start new thread"
        raise RuntimeError(msg)

    monkeypatch.setattr(engine_thread, "TaskHost", lambda _blueprint: nullcontext(host))
    monkeypatch.setattr(engine_thread, "open_worker", lambda *_some, **_named: worker)
    monkeypatch.setattr(engine_thread, "Reachability", refuse)
    monkeypatch.setattr(EngineThread, "_run", lambda self: None)
    before = gc.get_threshold()
    control: Any = None
    with pytest.raises(RuntimeError, match="new thread"):
        EngineThread(replace(TURN, program=ProgramHere(blueprint)))._host(blueprint, control)
    assert gc.get_threshold() == before


class Time:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    clock = Time()
    monkeypatch.setattr(engine_thread, "monotonic", clock)
    monkeypatch.setattr(EngineThread, "_run", lambda self: self._ended.wait())
    yield clock
    engine_thread._engines.pop("run", None)


TURN = Turn("run", ControlAddress("127.0.0.1", 1, b"secret-key"), seconds=10, lease_seconds=60)


def test_a_hung_slot_does_not_end_the_lease_of_workers_that_are_answered(time: Time) -> None:
    engine = EngineThread(TURN)
    for _ in range(100):  # no turn comes for 100 minutes
        time.now += 59
        engine._answered(Instruction())
        assert engine._has_lease()
    engine._ended.set()


def test_a_lease_ends_when_neither_a_turn_nor_an_answer_comes(time: Time) -> None:
    engine = EngineThread(TURN)
    time.now += 69.9
    assert engine._has_lease()
    time.now += 0.2
    assert not engine._has_lease()
    engine.renew(TURN)
    assert engine._has_lease()
    engine._ended.set()


@pytest.mark.parametrize("failed", [False, True])
def test_questions_go_elsewhere_before_a_worker_leaves_its_group(time: Time, failed: bool) -> None:
    """To commit and to leave takes seconds, and the stores are closed."""
    done: list[str] = []

    def step(*, paused: bool) -> None:
        done.append("step")
        if failed:
            msg = "of the test"
            raise RuntimeError(msg)
        engine._instruction = Instruction(stop=True)

    figures = SimpleNamespace(records_in=lambda: 7, take_record_failures=tuple)
    worker: Any = SimpleNamespace(
        figures=figures,
        step=step,
        close=lambda: done.append("close"),
        abandon=lambda: done.append("abandon"),
    )
    queries: Any = SimpleNamespace(
        has_questions=False, is_hot=False, close=lambda: done.append("queries")
    )
    reporter: Any = SimpleNamespace(ready=False)
    engine = EngineThread(TURN)
    engine._queries = queries
    with pytest.raises(RuntimeError) if failed else nullcontext():
        engine._work(worker, None, reporter)
    assert done == ["step", "queries", "abandon" if failed else "close"]
    assert engine._records_in == 7
    engine._ended.set()


@pytest.mark.parametrize("instruction", [Instruction(renew=False), Instruction(stop=True)])
def test_an_answer_of_a_driver_that_does_not_want_the_worker_renews_nothing(
    time: Time, instruction: Instruction
) -> None:
    engine = EngineThread(TURN)
    for _ in range(3):
        time.now += 30
        engine._answered(instruction)
    assert not engine._has_lease()
    engine._ended.set()


def test_an_answer_never_shortens_the_lease(time: Time) -> None:
    engine = EngineThread(Turn("run", TURN.control, seconds=600, lease_seconds=1))
    engine._answered(Instruction())
    time.now += 600
    assert engine._has_lease()
    engine._ended.set()


def test_a_turn_goes_on_while_another_slot_of_it_hangs(
    time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments: list[float] = []

    def take_rows(self: EngineThread, seconds: float) -> list[int]:
        time.now += seconds
        moments.append(time.now)
        if time.now < 1030:
            self._answered(Instruction(hold=True))
        elif time.now < 1040:
            self._answered(Instruction())
        return []

    monkeypatch.setattr(EngineThread, "take_rows", take_rows)
    assert list(take_turn(TURN)) == []
    assert 1030 <= moments[-1] <= 1031
    engine_thread._engines["run"]._ended.set()


def test_a_turn_in_the_users_process_thaws_nothing(
    time: Time, monkeypatch: pytest.MonkeyPatch, frozen: int
) -> None:
    def take_rows(self: EngineThread, seconds: float) -> list[int]:
        time.now += seconds
        return []

    monkeypatch.setattr(EngineThread, "take_rows", take_rows)
    blueprint: Any = None
    assert list(take_turn(replace(TURN, program=ProgramHere(blueprint)))) == []
    assert gc.get_freeze_count() > frozen / 2
    engine_thread._engines["run"]._ended.set()


def test_a_turn_does_not_go_on_when_the_driver_has_fallen_silent(
    time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_rows(self: EngineThread, seconds: float) -> list[int]:
        if time.now == 1000:
            self._answered(Instruction(hold=True))
        time.now += seconds
        return []

    monkeypatch.setattr(EngineThread, "take_rows", take_rows)
    assert list(take_turn(TURN)) == []
    assert time.now == 1010
    engine_thread._engines["run"]._ended.set()


def test_a_turn_that_gives_way_ends_early_and_its_worker_goes_on(
    time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_rows(self: EngineThread, seconds: float) -> list[int]:
        time.now += seconds
        # An answer about the turn before says nothing about this one.
        self._answered(Instruction(give_way=3 if time.now > 1004 else 2))
        return []

    monkeypatch.setattr(EngineThread, "take_rows", take_rows)
    assert list(take_turn(replace(TURN, slot=(3, 0)))) == []
    assert 1004 < time.now < 1006
    engine = engine_thread._engines["run"]
    assert engine.alive
    assert engine._has_lease()
    engine._ended.set()


def test_neither_the_key_nor_the_program_is_in_a_repr() -> None:
    program = ShippedProgram(b"my-password")
    assert "secret-key" not in repr(TURN)
    assert "my-password" not in repr(program)
    assert "my-password" not in repr(Turn("run", TURN.control, 1, 1, (0, 0), program))


def test_the_reports_of_the_next_engine_in_a_process_are_new_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With numbers from 1 again the driver took them for reports sent twice: it did not see the
    worker, nor its next failure, for as long as the first engine had lived.
    """
    monkeypatch.setattr(EngineThread, "_run", lambda self: None)
    first, second = EngineThread(TURN), EngineThread(TURN)
    numbers = [first._last_report("closed").number for _ in range(5)]
    assert second._last_report("starting").number > max(numbers)

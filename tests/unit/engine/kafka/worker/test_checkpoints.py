"""What is in a checkpoint, and waiting for the markers of the last transaction, which the broker
writes after its answer.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from penstock._engine.kafka.client.client_errors import BrokerAway
from penstock._engine.kafka.worker import checkpoints
from penstock._engine.kafka.worker.checkpoints import Checkpoints

ABSENT: Any = None
STARTED: list[Any] = [
    SimpleNamespace(
        task=SimpleNamespace(
            restorable=lambda: {("log", 0): None, ("input", 0): None},
            next_offsets=lambda: {("input", 0): 9, ("other", 0): 20},
        ),
        offsets={("input", 0): 7},
    )
]


def ends(answers: list[int | Exception], asked: list[str]) -> Any:
    def end_offsets(_admin: Any, places: list[Any], isolation: str, _seconds: float) -> Any:
        assert places == [("log", 0)]
        asked.append(isolation)
        answer = 5 if isolation == "read_uncommitted" else answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return {("log", 0): answer}

    return end_offsets


@pytest.mark.parametrize(
    ("answers", "rounds"), [([5], 1), ([3, 4, 5], 3), ([3, BrokerAway("away")], 1)]
)
def test_it_waits_until_the_last_stable_offset_is_the_end(
    answers: list[int | Exception], rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(checkpoints, "end_offsets", ends(answers, asked))
    Checkpoints(ABSENT, ABSENT, 0).wait_for_markers(STARTED)
    assert asked.count("read_uncommitted") == rounds


def test_a_marker_that_does_not_come_does_not_hold_a_worker_that_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = iter(range(1000))
    monkeypatch.setattr(checkpoints, "monotonic", lambda: float(next(times)))
    monkeypatch.setattr(checkpoints, "end_offsets", ends([3] * 9, []))
    Checkpoints(ABSENT, ABSENT, 0).wait_for_markers(STARTED)


def test_an_input_that_rests_is_in_the_checkpoint_with_what_was_committed_earlier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its table would never get an offset beside a stream that is always busy."""
    monkeypatch.setattr(checkpoints, "end_offsets", ends([], []))
    committed: Any = {("other", 0): SimpleNamespace(offset=21)}
    found = Checkpoints(ABSENT, ABSENT, 0).ends(iter(STARTED), committed, lambda: True)
    assert found == {("input", 0): 9, ("other", 0): 21, ("log", 0): 5}

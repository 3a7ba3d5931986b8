"""Memory of closed tasks goes back to the system."""

from __future__ import annotations

import gc
import weakref

import pytest

from penstock._engine.kafka.worker.freed_memory import FreedMemory, c_library_trim


@pytest.fixture(autouse=True)
def _thawed() -> None:
    """Nothing is given back in a process that an earlier test left frozen."""
    gc.unfreeze()


class Knot:
    """Refers to itself, as a task and its processors do."""

    def __init__(self) -> None:
        self.itself = self


def test_memory_is_given_back_once_for_all_tasks_that_were_closed() -> None:
    trims: list[int] = []
    memory = FreedMemory(trims.append)

    memory.give_back()
    assert trims == []
    memory.note()
    memory.note()
    memory.give_back()
    memory.give_back()

    assert trims == [0]


def test_what_refers_to_itself_is_freed_before() -> None:
    gc.disable()
    try:
        knot = Knot()
        alive_at_trim: list[bool] = []
        seen = weakref.ref(knot)
        memory = FreedMemory(lambda _: alive_at_trim.append(seen() is not None))
        del knot
        memory.note()
        memory.give_back()
    finally:
        gc.enable()

    assert alive_at_trim == [False]


def test_nothing_is_given_back_while_a_collection_would_find_nothing() -> None:
    trims: list[int] = []
    memory = FreedMemory(trims.append)
    memory.note()
    gc.freeze()
    try:
        memory.give_back()
    finally:
        gc.unfreeze()
    assert trims == []

    memory.give_back()

    assert trims == [0]


def test_the_c_library_gives_memory_back_or_there_is_no_such_function() -> None:
    trim = c_library_trim()

    assert trim is None or trim(0) in {0, 1}
    memory = FreedMemory()
    memory.note()
    memory.give_back()

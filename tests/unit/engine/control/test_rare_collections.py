"""The garbage collector of the user's process is as it was when the last engine has ended."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from penstock._engine.control.rare_collections import rare_collections


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(600, 9, 8)
    yield
    gc.set_threshold(*before)


def test_the_first_engine_sets_the_thresholds_and_the_last_restores_them() -> None:
    before = gc.get_threshold()
    first, second = ExitStack(), ExitStack()
    first.enter_context(rare_collections())
    ours = gc.get_threshold()
    assert ours[0] > before[0]
    second.enter_context(rare_collections())
    first.close()
    assert gc.get_threshold() == ours
    second.close()
    assert gc.get_threshold() == before


def test_an_engine_that_fails_restores_them_too() -> None:
    before = gc.get_threshold()
    with pytest.raises(RuntimeError), rare_collections():
        raise RuntimeError
    assert gc.get_threshold() == before


def test_thresholds_that_the_user_sets_meanwhile_stay() -> None:
    with rare_collections():
        gc.set_threshold(500, 7, 6)
        users = gc.get_threshold()
    assert gc.get_threshold() == users

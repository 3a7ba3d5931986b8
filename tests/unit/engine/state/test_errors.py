"""State errors are told apart by what the host does; all say where."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock._engine.state.errors import (
    StateClosedError,
    StateCorruptedError,
    StateError,
    StateLockedError,
)
from penstock.errors import StreamsError


@pytest.mark.parametrize("kind", [StateClosedError, StateCorruptedError, StateLockedError])
def test_every_kind_is_a_state_error_with_its_path(kind: type[StateError]) -> None:
    error = kind("it is so", Path("state"))
    assert isinstance(error, StateError)
    assert isinstance(error, StreamsError)
    assert (str(error), error.path) == ("it is so", Path("state"))

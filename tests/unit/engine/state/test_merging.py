"""Changes woven into entries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.state.merging import merged

KEYS = st.binary(max_size=2)
VALUES = st.binary(max_size=2)


@given(st.dictionaries(KEYS, VALUES), st.dictionaries(KEYS, st.none() | VALUES), st.booleans())
def test_it_is_what_the_changes_would_leave(
    entries: dict[bytes, bytes], changes: dict[bytes, bytes | None], reverse: bool
) -> None:
    expected = {key: value for key, value in {**entries, **changes}.items() if value is not None}
    got = merged(
        sorted(changes.items(), reverse=reverse),
        iter(sorted(entries.items(), reverse=reverse)),
        reverse=reverse,
    )
    assert list(got) == sorted(expected.items(), reverse=reverse)


@pytest.mark.parametrize("reverse", [False, True])
def test_nothing_is_nothing(reverse: bool) -> None:
    assert list(merged([], iter([]), reverse=reverse)) == []

"""Rows of several partitions: by key, then by partition, in both directions."""

from __future__ import annotations

import pytest

from penstock._engine.queries.merging import merged
from penstock._engine.queries.questions import Row


def row(key: bytes) -> Row:
    return key, b"", None, None, None


@pytest.mark.parametrize("reverse", [False, True])
def test_the_rows_of_a_key_are_in_the_order_of_their_partitions(reverse: bool) -> None:
    keys = sorted([b"a", b"b", b"c"], reverse=reverse)
    scans = {place: iter([row(key) for key in keys]) for place in (2, 0, 1)}
    found = [(one[0], place) for place, one in merged(scans, reverse=reverse)]
    assert found == [(key, place) for key in keys for place in (0, 1, 2)]

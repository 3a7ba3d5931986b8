"""Records become lines."""

from __future__ import annotations

import pytest

from penstock import serdes
from penstock._engine.kafka.topic_io import Read
from penstock.cli.show import shown


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        (b"the", bytes(7) + b"\x05", "the\t5"),
        (b"the", None, "the\tnull"),
        (None, bytes(8), "0"),
    ],
)
def test_record_is_a_line(key: bytes | None, value: bytes | None, line: str) -> None:
    assert shown(Read("counts", key, value, 0), serdes.string(), serdes.long()) == line

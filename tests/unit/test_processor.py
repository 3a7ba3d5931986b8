"""The Processor API's own classes."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import FixedKeyProcessor, FixedKeyRecord, Processor, Record
from penstock.testing import MockProcessorContext


def test_init_keeps_the_context() -> None:
    processor: Processor[Any, Any, Any, Any] = Processor()
    context = MockProcessorContext()
    processor.init(context)
    assert processor.context is context


@pytest.mark.parametrize("kind", [Processor, FixedKeyProcessor])
def test_without_a_context_the_error_says_what_was_forgotten(kind: type[Any]) -> None:
    with pytest.raises(AttributeError) as caught:
        _ = kind().context
    assert str(caught.value) == (
        f"{kind.__name__} has no context; its init must call super().init(context)"
    )


def test_other_missing_attributes_are_ordinary_errors() -> None:
    with pytest.raises(AttributeError, match="'Processor' object has no attribute 'seen'"):
        _ = Processor().seen  # type: ignore[attr-defined]


def test_process_must_be_overridden() -> None:
    class Idle(Processor[Any, Any, Any, Any]):
        pass

    class IdleValues(FixedKeyProcessor[Any, Any, Any]):
        pass

    with pytest.raises(NotImplementedError, match=r"^Idle must override process\(record\)$"):
        Idle().process(Record("k", 1, 0))
    with pytest.raises(NotImplementedError, match=r"^IdleValues must override process\(record\)$"):
        IdleValues().process(FixedKeyRecord("k", 1, 0))


def test_close_may_be_left_out() -> None:
    Processor[Any, Any, Any, Any]().close()
    FixedKeyProcessor[Any, Any, Any]().close()

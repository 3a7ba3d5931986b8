"""Functions that do not run when they are called are refused, wherever the user may pass one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from penstock import (
    FixedKeyProcessor,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    StreamsBuilder,
    StreamsError,
    TopologyError,
    ValueTransformerWithKey,
)
from penstock._engine.topology.deferred_calls import deferral_of
from tests.operators.programs import drive, pipe

AnyProcessor = Processor[Any, Any, Any, Any]


async def later(value: Any) -> Any:
    return value


def several(value: Any) -> Iterator[Any]:
    yield value


class AsyncObject:
    async def __call__(self, *given: Any) -> bool:
        return False


class GeneratorObject:
    def __call__(self, *given: Any) -> Iterator[Any]:
        yield given


class AsyncProcess(AnyProcessor):
    async def process(self, record: Record[Any, Any]) -> None:  # type: ignore[override]
        self.context.forward(record)


class GeneratorProcess(AnyProcessor):
    def process(self, record: Record[Any, Any]) -> Iterator[Any]:  # type: ignore[override]
        yield record


class AsyncInit(AnyProcessor):
    async def init(self, context: Any) -> None:  # type: ignore[override]
        pass

    def process(self, record: Record[Any, Any]) -> None:
        pass


class GeneratorValues(FixedKeyProcessor[Any, Any, Any]):
    def process(self, record: Any) -> Iterator[Any]:  # type: ignore[override]
        yield record


class AsyncTransform(ValueTransformerWithKey[Any, Any, Any]):
    async def transform(self, key: Any, value: Any) -> Any:
        return value


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (later, "async"),
        (functools.partial(later, 1), "async"),
        (AsyncObject(), "async"),
        (functools.partial(AsyncObject(), 1), "async"),
        (several, "generator"),
        (GeneratorObject(), "generator"),
        (GeneratorObject, None),
        (lambda value: value, None),
        (len, None),
    ],
)
def test_what_python_knows_of_a_function(function: object, why: str | None) -> None:
    assert deferral_of(function) == why


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda b: b.stream("in").process(AsyncProcess), "AsyncProcess.process .* an async .*py:"),
        (lambda b: b.stream("in").process(GeneratorProcess), "GeneratorProcess.process .* yield"),
        (lambda b: b.stream("in").process(AsyncInit), r"AsyncInit.init must be a plain method"),
        (lambda b: b.stream("in").process_values(GeneratorValues), "GeneratorValues.process"),
        (lambda b: b.table("in").transform_values(AsyncTransform), "AsyncTransform.transform"),
        (lambda b: b.stream("in").filter(AsyncObject()), "async function an object of class Async"),
        (lambda b: b.stream("in").peek(AsyncObject()), "must be a plain function"),
    ],
)
def test_it_is_refused_when_the_program_is_built(
    draw: Callable[[StreamsBuilder], object], message: str
) -> None:
    with pytest.raises(TopologyError, match=message):
        draw(StreamsBuilder())


def test_an_instance_of_another_class_than_the_first_is_refused_too() -> None:
    class Plain(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            pass

    made = iter([Plain(), Plain(), AsyncProcess()])
    with pytest.raises(TopologyError, match=r"AsyncProcess\.process must be a plain method"):
        drive(lambda b: b.stream("in").process(made.__next__))


def test_a_timer_that_would_not_run_is_refused() -> None:
    class Timer(AnyProcessor):
        def init(self, context: ProcessorContext[Any, Any]) -> None:
            context.schedule(1000, PunctuationType.STREAM_TIME, later)

        def process(self, record: Record[Any, Any]) -> None:
            pass

    with pytest.raises(StreamsError, match="callback must be a plain function; got the async"):
        drive(lambda b: b.stream("in").process(Timer))


def test_a_coroutine_behind_a_decorator_is_refused_at_the_record() -> None:
    class Decorated(AnyProcessor):
        def process(self, record: Record[Any, Any]) -> None:
            return later(record)  # type: ignore[return-value]

    message = r"Decorated\.process returned a coroutine, of \w+ at .*, so it has done nothing"
    with (
        drive(lambda b: b.stream("in").process(Decorated)) as driver,
        pytest.raises(StreamsError, match=message),
    ):
        pipe(driver, "in", ("k", "v"))

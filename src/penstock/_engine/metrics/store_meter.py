"""What is measured of each operation of a store, at the recording level DEBUG only. Java:
MeteredKeyValueStore and StateStoreMetrics.

A store at the level INFO has no meter: its functions are called as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any, Final, ParamSpec, TypeVar, cast

from penstock._clock import Clock, SystemClock, monotonic
from penstock._engine.metrics.samples import Quantity
from penstock.stores import StoreIterator

P = ParamSpec("P")
T = TypeVar("T")

_MILLISECONDS: Final = 1000.0


class StoreMeter:
    """The calls of one store: how many, how long, and the iterators that are not closed yet."""

    def __init__(self, now: float, clock: Clock | None = None) -> None:
        self._began = now
        self._clock = clock or SystemClock()
        self._operations: dict[str, Quantity] = {}
        self._iterators = Quantity(now)
        self._open: dict[int, int] = {}
        """When each open iterator was opened, in ms since 1970, the earliest first."""
        self._ages = Quantity(now)
        self.take_age = self._ages.add
        """`take_age(age_ms)` takes how old a record is when it is stored."""
        self._sizes, self._counts = Quantity(now), Quantity(now)

    def timed(self, operation: str, call: Callable[P, T]) -> Callable[P, T]:
        """Return `call`, which is counted and timed as `operation`. An iterator that it returns is
        timed until its end, as in Java.
        """
        times = self._operations.setdefault(operation, Quantity(self._began))

        def measured(*arguments: P.args, **options: P.kwargs) -> T:
            begin = monotonic()
            try:
                result = call(*arguments, **options)
            except BaseException:
                times.add(monotonic() - begin)
                raise
            if isinstance(result, StoreIterator):
                return cast(T, StoreIterator(self._iterated(result, times, begin)))
            if type(result) is GeneratorType:
                return cast(T, self._iterated(cast(Iterator[Any], result), times, begin))
            times.add(monotonic() - begin)
            return result

        return measured

    def buffered(self, call: Callable[P, T], size: Callable[[], tuple[int, int]]) -> Callable[P, T]:
        """Return `call`, which changes a buffer; `size()` returns its bytes and its rows."""

        def changed(*arguments: P.args, **options: P.kwargs) -> T:
            result = call(*arguments, **options)
            size_bytes, count = size()
            self._sizes.add(size_bytes)
            self._counts.add(count)
            return result

        return changed

    def count(self, operation: str) -> int:
        """Return how often an operation was called."""
        known = self._operations.get(operation)
        return 0 if known is None else known.total

    def values(self, now: float) -> dict[str, float]:
        """Return the metrics of group `stream-state-metrics`; no latency of an operation that was
        not called in the last minute.
        """
        values: dict[str, float] = {}
        for operation, times in self._operations.items():
            values |= times.values(f"{operation}-latency", now, "avg", "max", factor=_MILLISECONDS)
            values[f"{operation}-rate"] = times.samples(now).rate(now)
            values[f"{operation}-total"] = times.total
        values |= self._iterators.values(
            "iterator-duration", now, "avg", "max", factor=_MILLISECONDS
        )
        if self._operations:
            values["num-open-iterators"] = len(self._open)
        if self._open:
            values["oldest-iterator-open-since-ms"] = next(iter(self._open.values()))
        values |= self._ages.values("record-e2e-latency", now, "avg", "min", "max")
        values |= self._sizes.values("suppression-buffer-size", now, "avg", "max")
        values |= self._counts.values("suppression-buffer-count", now, "avg", "max")
        return values

    def _iterated(self, rows: Iterator[Any], times: Quantity, begin: float) -> Iterator[Any]:
        number = id(rows)
        self._open[number] = self._clock.now_ms()
        try:
            yield from rows
        finally:
            del self._open[number]
            seconds = monotonic() - begin
            times.add(seconds)
            self._iterators.add(seconds)

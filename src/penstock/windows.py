"""The windows a stream can be cut into: what each kind is, and its arithmetic.

Times are milliseconds; a record's timestamp is never negative, so no window begins before 0.
Windows of time are [start, end): the end is outside. Sliding windows and sessions are
[start, end]: both ends are inside.

Long because each method has an example.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from penstock._camel_case import ExplainsCamelCase, ExplainsJavaNames
from penstock._durations import Duration, to_milliseconds
from penstock.errors import TopologyError

__all__ = [
    "END_OF_TIME",
    "AlignedWindows",
    "AnyWindows",
    "HasEnd",
    "JoinWindows",
    "SessionWindows",
    "SlidingWindows",
    "TimeWindows",
    "UnlimitedWindows",
    "Window",
]

T = TypeVar("T")

END_OF_TIME: Final = 2**63 - 1
"""Where an unlimited window ends: the largest timestamp there is.

>>> from penstock.windows import END_OF_TIME
>>> UnlimitedWindows.of().windows_for(5)[0].end == END_OF_TIME
True
"""


class Window(NamedTuple):
    """A time span. Java: Window.

    >>> Window(0, 60_000).end
    60000
    """

    start: int
    end: int


class HasEnd(Protocol):
    """A `Window`, or a `Windowed` key.

    >>> two_minutes.close_time(Windowed("ann", 0, 120_000))
    120000
    """

    @property
    def end(self) -> int: ...


def _made_by(method: str, can_be: Callable[[Any], bool]) -> Callable[[type[T]], type[T]]:
    """Have calls of a class itself explained, which takes milliseconds: a user writes `method`."""

    def explained(kind: type[T]) -> type[T]:
        initialize, count = kind.__init__, kind.__init__.__code__.co_argcount - 1

        @functools.wraps(initialize)
        def checked(self: T, *given: object, **named: object) -> None:
            values = [*given, *named.values()]
            fits = len(values) == count and all(isinstance(value, int) for value in values)
            if fits:
                initialize(self, *given, **named)
            if not fits or not can_be(self):
                shown = [*map(repr, given), *(f"{key}={value!r}" for key, value in named.items())]
                msg = (
                    f"{kind.__name__} must be made by one of its methods; got "
                    f"{kind.__name__}({', '.join(shown)}); write {kind.__name__}.{method}"
                )
                raise TopologyError(msg)

        kind.__init__ = checked  # type: ignore[assignment]
        return kind

    return explained


@_made_by(
    "of_size(size, grace=..., advance=...)",
    lambda own: 0 < own.advance_ms <= own.size_ms and own.grace_ms >= 0,
)
@dataclass(frozen=True, slots=True)
class TimeWindows(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    """Windows of a fixed size that begin at multiples of `advance`: tumbling if that is the size,
    hopping, so overlapping, if it is less. Java: TimeWindows.

    A window takes records until stream time has reached its end plus `grace`.

    >>> hopping = TimeWindows.of_size(10, advance=5, grace=2)
    >>> hopping.windows_for(7)
    [Window(start=0, end=10), Window(start=5, end=15)]
    >>> hopping.most_windows_for_one, hopping.close_time(Window(5, 15))
    (2, 17)
    """

    _java_names: ClassVar[dict[str, str]] = {
        "ofSizeWithNoGrace": "of_size(size)",
        "ofSizeAndGrace": "of_size(size, grace=...)",
        "advanceBy": "of_size(size, advance=...)",
        "grace": "of_size(size, grace=...)",
    }

    size_ms: int
    advance_ms: int
    grace_ms: int

    @classmethod
    def of_size(
        cls, size: Duration, *, grace: Duration = 0, advance: Duration | None = None
    ) -> TimeWindows:
        """Ask for windows that last `size`; the next begins `advance` later, `size` if not given.
        Java: TimeWindows.ofSizeAndGrace, advanceBy.

        >>> TimeWindows.of_size(timedelta(minutes=5), advance=timedelta(minutes=1), grace=1_000)
        TimeWindows(size_ms=300000, advance_ms=60000, grace_ms=1000)
        """
        size_ms = _milliseconds(size, "TimeWindows.of_size: size")
        if size_ms <= 0:
            msg = (
                f"TimeWindows.of_size: size must be at least 1 ms; got {size!s}; pass how long a "
                "window lasts, as in of_size(timedelta(minutes=5))"
            )
            raise TopologyError(msg)
        if advance is None:
            advance_ms = size_ms
        else:
            advance_ms = _milliseconds(advance, "TimeWindows.of_size: advance")
            _check_advance(advance, advance_ms, size_ms)
        return cls(size_ms, advance_ms, _grace(grace, "TimeWindows.of_size"))

    def windows_for(self, timestamp: int) -> list[Window]:
        """Return the windows that hold `timestamp`, the earliest first. Java:
        TimeWindows.windowsFor.

        >>> TimeWindows.of_size(60_000, advance=30_000).windows_for(70_000)
        [Window(start=30000, end=90000), Window(start=60000, end=120000)]
        """
        size, advance = self.size_ms, self.advance_ms
        first = max(0, timestamp - size + advance) // advance * advance
        return [Window(start, start + size) for start in range(first, timestamp + 1, advance)]

    @property
    def most_windows_for_one(self) -> int:
        """How many windows a record is in; fewer only shortly after time 0, or if `advance` does
        not divide the size.

        >>> TimeWindows.of_size(60_000, advance=30_000).most_windows_for_one
        2
        """
        return -(-self.size_ms // self.advance_ms)

    def close_time(self, window: HasEnd) -> int:
        """Return the stream time from which records for `window` are late.

        >>> TimeWindows.of_size(60_000, grace=5_000).close_time(Window(0, 60_000))
        65000
        """
        return window.end + self.grace_ms


@_made_by(
    "of_time_difference(difference, grace=...)",
    lambda own: own.difference_ms > 0 and own.grace_ms >= 0,
)
@dataclass(frozen=True, slots=True)
class SlidingWindows(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    """Windows as long as the time difference at most between two records in them, both ends
    included; there is one for each set of records that fits into one. Java: SlidingWindows.

    >>> sliding = SlidingWindows.of_time_difference(10)
    >>> sliding.windows_for(12, among=[12, 15])
    [Window(start=2, end=12), Window(start=5, end=15)]
    """

    _java_names: ClassVar[dict[str, str]] = {
        "ofTimeDifferenceWithNoGrace": "of_time_difference(difference)",
        "ofTimeDifferenceAndGrace": "of_time_difference(difference, grace=...)",
    }

    difference_ms: int
    grace_ms: int

    @classmethod
    def of_time_difference(cls, difference: Duration, *, grace: Duration = 0) -> SlidingWindows:
        """Ask for windows of records that are at most `difference` apart. Java:
        SlidingWindows.ofTimeDifferenceAndGrace.

        >>> SlidingWindows.of_time_difference(timedelta(minutes=5), grace=timedelta(seconds=1))
        SlidingWindows(difference_ms=300000, grace_ms=1000)
        """
        name = "SlidingWindows.of_time_difference"
        difference_ms = _milliseconds(difference, f"{name}: difference")
        if difference_ms <= 0:
            # Java takes 0 and fails with the first record.
            msg = (
                f"{name}: difference must be at least 1 ms; got {difference!s}; pass how far apart "
                "two records of a window may be, as in of_time_difference(timedelta(minutes=5))"
            )
            raise TopologyError(msg)
        return cls(difference_ms, _grace(grace, name))

    def windows_for(self, timestamp: int, *, among: Iterable[int]) -> list[Window]:
        """Return the windows that hold `timestamp` once a key has records at the times `among`, the
        earliest first.

        >>> SlidingWindows.of_time_difference(10).windows_for(12, among=[15])
        [Window(start=2, end=12), Window(start=5, end=15)]
        """
        return [
            window
            for window in self.windows_of((timestamp, *among))
            if window.start <= timestamp <= window.end
        ]

    def windows_of(self, timestamps: Iterable[int]) -> list[Window]:
        """Return all windows of a key that has records at these times, the earliest first.

        Each record has one that ends with it, and one that begins just after it if that holds a
        record.

        >>> SlidingWindows.of_time_difference(10).windows_of([12, 15])
        [Window(start=2, end=12), Window(start=5, end=15), Window(start=13, end=23)]
        """
        times = sorted(set(timestamps))
        length = self.difference_ms
        starts = {max(0, time - length) for time in times}
        starts |= {time + 1 for time, later in pairwise(times) if later - time - 1 <= length}
        return [Window(start, start + length) for start in sorted(starts)]

    def close_time(self, window: HasEnd) -> int:
        """Return the stream time from which records for `window` are late.

        >>> SlidingWindows.of_time_difference(10).close_time(Window(2, 12))
        13
        """
        return window.end + self.grace_ms + 1


@_made_by("of_inactivity_gap(gap, grace=...)", lambda own: own.gap_ms >= 0 and own.grace_ms >= 0)
@dataclass(frozen=True, slots=True)
class SessionWindows(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    """Windows from the first to the last record of a burst: a session ends when no record follows
    within the gap. Java: SessionWindows.

    >>> SessionWindows.of_inactivity_gap(5).windows_of([0, 5, 11])
    [Window(start=0, end=5), Window(start=11, end=11)]
    """

    _java_names: ClassVar[dict[str, str]] = {
        "ofInactivityGapWithNoGrace": "of_inactivity_gap(gap)",
        "ofInactivityGapAndGrace": "of_inactivity_gap(gap, grace=...)",
    }

    gap_ms: int
    grace_ms: int

    @classmethod
    def of_inactivity_gap(cls, gap: Duration, *, grace: Duration = 0) -> SessionWindows:
        """Ask for sessions in which no two records in a row are more than `gap` apart. Java:
        SessionWindows.ofInactivityGapAndGrace.

        >>> SessionWindows.of_inactivity_gap(timedelta(minutes=5), grace=timedelta(minutes=1))
        SessionWindows(gap_ms=300000, grace_ms=60000)
        """
        name = "SessionWindows.of_inactivity_gap"
        gap_ms = _milliseconds(gap, f"{name}: gap")
        if gap_ms < 0:
            msg = (
                f"{name}: gap must not be negative; got {gap!s}; pass how long a session waits for "
                "its next record, as in of_inactivity_gap(timedelta(minutes=5))"
            )
            raise TopologyError(msg)
        return cls(gap_ms, _grace(grace, name))

    def windows_for(self, timestamp: int, *, among: Iterable[int]) -> list[Window]:
        """Return the one session that holds `timestamp` once a key has records at the times
        `among`.

        >>> SessionWindows.of_inactivity_gap(5).windows_for(8, among=[0, 3, 20])
        [Window(start=0, end=8)]
        """
        return [
            window
            for window in self.windows_of((timestamp, *among))
            if window.start <= timestamp <= window.end
        ]

    def windows_of(self, timestamps: Iterable[int]) -> list[Window]:
        """Return the sessions of a key that has records at these times, the earliest first.

        >>> SessionWindows.of_inactivity_gap(5).windows_of([0, 3, 20])
        [Window(start=0, end=3), Window(start=20, end=20)]
        """
        sessions: list[Window] = []
        for time in sorted(timestamps):
            if sessions and time - sessions[-1].end <= self.gap_ms:
                sessions[-1] = Window(sessions[-1].start, time)
            else:
                sessions.append(Window(time, time))
        return sessions

    def close_time(self, window: HasEnd) -> int:
        """Return the stream time from which records for `window` are late unless it is extended.

        >>> SessionWindows.of_inactivity_gap(5).close_time(Window(0, 3))
        9
        """
        return window.end + self.gap_ms + self.grace_ms + 1


@_made_by("of(start=...)", lambda own: own.start_ms >= 0)
@dataclass(frozen=True, slots=True)
class UnlimitedWindows(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    """One window from `start` on that never closes. Java: UnlimitedWindows.

    >>> since_minute_1 = by_customer.windowed_by(UnlimitedWindows.of(start=60_000))
    >>> show(since_minute_1.count(Materialized("counts")))
    [('[bob@60000/9223372036854775807]', 1), ('[ann@60000/9223372036854775807]', 1)]
    """

    _java_names: ClassVar[dict[str, str]] = {"startOn": "of(start=...)"}

    start_ms: int

    size_ms: ClassVar[int] = END_OF_TIME
    grace_ms: ClassVar[int] = 0

    @classmethod
    def of(cls, *, start: int = 0) -> UnlimitedWindows:
        """Ask for the window from `start`, in milliseconds since 1970; what is earlier is in none.
        Java: UnlimitedWindows.of, startOn.

        >>> UnlimitedWindows.of(start=60_000)
        UnlimitedWindows(start_ms=60000)
        """
        if not isinstance(start, int) or isinstance(start, bool) or start < 0:
            msg = (
                "UnlimitedWindows.of: start must be milliseconds since 1970, not negative; got "
                f"{start!r}"
            )
            raise TopologyError(msg)
        return cls(start)

    def windows_for(self, timestamp: int) -> list[Window]:
        """Return the window if it holds `timestamp`. Java: UnlimitedWindows.windowsFor.

        >>> UnlimitedWindows.of(start=60_000).windows_for(5)
        []
        """
        return [Window(self.start_ms, END_OF_TIME)] if timestamp >= self.start_ms else []

    @property
    def most_windows_for_one(self) -> int:
        """How many windows a record is in.

        >>> UnlimitedWindows.of().most_windows_for_one
        1
        """
        return 1

    def close_time(self, window: HasEnd) -> int:
        """Return the stream time from which records for `window` are late.

        >>> UnlimitedWindows.of().close_time(Window(0, 60_000))
        60000
        """
        return window.end


@_made_by(
    "of_time_difference(difference, grace=...)",
    lambda own: own.before_ms + own.after_ms >= 0 and own.grace_ms >= 0,
)
@dataclass(frozen=True, slots=True)
class JoinWindows(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    """How far apart records of two streams may be to be joined: the right one from `before` the
    left one to `after` it, both included. Java: JoinWindows.

    >>> JoinWindows.of_time_difference(10, before=3).windows_for(100)
    [Window(start=97, end=110)]
    """

    _java_names: ClassVar[dict[str, str]] = {
        "ofTimeDifferenceWithNoGrace": "of_time_difference(difference)",
        "ofTimeDifferenceAndGrace": "of_time_difference(difference, grace=...)",
        "before": "of_time_difference(difference, before=...)",
        "after": "of_time_difference(difference, after=...)",
        "of": "of_time_difference(difference)",
    }

    before_ms: int
    after_ms: int
    grace_ms: int

    @classmethod
    def of_time_difference(
        cls,
        difference: Duration,
        *,
        grace: Duration = 0,
        before: Duration | None = None,
        after: Duration | None = None,
    ) -> JoinWindows:
        """Ask for pairs at most `difference` apart; `before` and `after` change one side, and one
        of them may be negative. Java: JoinWindows.ofTimeDifferenceAndGrace, before, after.

        >>> JoinWindows.of_time_difference(timedelta(minutes=5), before=0, grace=1_000)
        JoinWindows(before_ms=0, after_ms=300000, grace_ms=1000)
        """
        name = "JoinWindows.of_time_difference"
        both_ms = _milliseconds(difference, f"{name}: difference")
        if both_ms < 0:
            msg = (
                f"{name}: difference must not be negative; got {difference!s}; pass how far apart "
                "two records may be to be joined; before= and after= may be negative, singly"
            )
            raise TopologyError(msg)
        before_ms = both_ms if before is None else _milliseconds(before, f"{name}: before")
        after_ms = both_ms if after is None else _milliseconds(after, f"{name}: after")
        if before_ms + after_ms < 0:
            msg = (
                f"{name}: before and after together must not be negative; got before {before_ms} "
                f"ms and after {after_ms} ms, so the window would end before it begins"
            )
            raise TopologyError(msg)
        return cls(before_ms, after_ms, _grace(grace, name))

    @property
    def size_ms(self) -> int:
        """How long the window is. Java: JoinWindows.size.

        >>> JoinWindows.of_time_difference(60_000).size_ms
        120000
        """
        return self.before_ms + self.after_ms

    def windows_for(self, timestamp: int) -> list[Window]:
        """Return the times of right records that match a left record at `timestamp`.

        >>> JoinWindows.of_time_difference(60_000).windows_for(100_000)
        [Window(start=40000, end=160000)]
        """
        return [Window(max(0, timestamp - self.before_ms), max(0, timestamp + self.after_ms))]

    def close_time(self, window: HasEnd) -> int:
        """Return the stream time from which a record without a match in `window` stays without.

        >>> JoinWindows.of_time_difference(60_000, grace=1_000).close_time(Window(0, 160_000))
        161001
        """
        return window.end + self.grace_ms + 1


AlignedWindows: TypeAlias = TimeWindows | UnlimitedWindows
"""Windows that the clock alone decides about, not the records.

>>> two_minutes.windows_for(70_000), UnlimitedWindows.of(start=70_001).windows_for(70_000)
([Window(start=0, end=120000)], [])
"""

AnyWindows: TypeAlias = TimeWindows | UnlimitedWindows | SlidingWindows | SessionWindows
"""What a grouped stream can be windowed by.

>>> show(by_customer.windowed_by(two_minutes).count(Materialized("counts")))
[('[ann@0/120000]', 1), ('[bob@0/120000]', 1), ('[ann@240000/360000]', 1)]
"""


def _check_advance(advance: Duration, advance_ms: int, size_ms: int) -> None:
    if advance_ms <= 0:
        msg = (
            f"TimeWindows.of_size: advance must be at least 1 ms; got {advance!s}; leave it out "
            "for windows that do not overlap"
        )
        raise TopologyError(msg)
    if advance_ms > size_ms:
        msg = (
            f"TimeWindows.of_size: advance must be at most the size, {size_ms} ms, else records "
            f"between two windows would be in none; got {advance!s}; leave it out for windows that "
            "do not overlap"
        )
        raise TopologyError(msg)


def _grace(grace: Duration, name: str) -> int:
    grace_ms = _milliseconds(grace, f"{name}: grace")
    if grace_ms < 0:
        msg = (
            f"{name}: grace must not be negative; got {grace!s}; pass how late a record may be, or "
            "leave it out: then a window takes no record after its end"
        )
        raise TopologyError(msg)
    return grace_ms


def _milliseconds(duration: Duration, what: str) -> int:
    try:
        milliseconds = to_milliseconds(duration, what)
    except TypeError as error:
        raise TopologyError(str(error)) from None
    if abs(milliseconds) > END_OF_TIME:
        msg = f"{what} must be less than 2**63 milliseconds; got {duration!s}"
        raise TopologyError(msg)
    return milliseconds

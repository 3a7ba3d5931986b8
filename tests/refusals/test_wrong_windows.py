"""Wrong programs with windows are refused where they are written; see test_wrong_programs.py."""

# mypy: ignore-errors
# Wrong on purpose: most of these programs do not pass a type checker either.

from __future__ import annotations

from datetime import timedelta

import pytest

from penstock import (
    Consumed,
    EmitStrategy,
    JoinWindows,
    KGroupedStream,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    UnlimitedWindows,
    serdes,
)
from tests.refusals.wrong import Wrong, WrongPrograms

TEXT = serdes.string()
WRONG = WrongPrograms()
refused = WRONG.refused
MINUTE = timedelta(minutes=1)


def grouped() -> KGroupedStream[str, str]:
    return StreamsBuilder().stream("words", Consumed(key=TEXT, value=TEXT)).group_by_key()


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.program.__name__)
def test_a_wrong_program_is_refused_at_its_line(wrong: Wrong) -> None:
    wrong.check()


@refused(
    "TimeWindows.of_size: size must be at least 1 ms; got 0; pass how long a window lasts, as in "
    "of_size(timedelta(minutes=5))"
)
def size_of_zero() -> None:
    grouped().windowed_by(TimeWindows.of_size(0))  # wrong


@refused("TimeWindows.of_size: size must be a timedelta or whole milliseconds; got 1.5")
def size_of_no_whole_milliseconds() -> None:
    grouped().windowed_by(TimeWindows.of_size(1.5))  # wrong


@refused(
    "TimeWindows.of_size: advance must be at least 1 ms; got 0; leave it out for windows that do "
    "not overlap"
)
def advance_of_zero() -> None:
    TimeWindows.of_size(MINUTE, advance=0)  # wrong


@refused(
    "TimeWindows.of_size: advance must be at most the size, 60000 ms, else records between two "
    "windows would be in none; got 0:02:00; leave it out for windows that do not overlap"
)
def advance_beyond_the_size() -> None:
    TimeWindows.of_size(MINUTE, advance=2 * MINUTE)  # wrong


@refused(
    "TimeWindows.of_size: grace must not be negative; got -5; pass how late a record may be, or "
    "leave it out: then a window takes no record after its end"
)
def negative_grace() -> None:
    TimeWindows.of_size(MINUTE, grace=-5)  # wrong


@refused(
    "SlidingWindows.of_time_difference: difference must be at least 1 ms; got 0; pass how far "
    "apart two records of a window may be, as in of_time_difference(timedelta(minutes=5))"
)
def sliding_windows_of_no_length() -> None:
    SlidingWindows.of_time_difference(0)  # wrong


@refused(
    "SessionWindows.of_inactivity_gap: gap must not be negative; got -1; pass how long a session "
    "waits for its next record, as in of_inactivity_gap(timedelta(minutes=5))"
)
def negative_gap() -> None:
    SessionWindows.of_inactivity_gap(-1)  # wrong


@refused(
    "JoinWindows.of_time_difference: difference must not be negative; got -1; pass how far apart "
    "two records may be to be joined; before= and after= may be negative, singly"
)
def negative_join_window() -> None:
    JoinWindows.of_time_difference(-1)  # wrong


@refused(
    "JoinWindows.of_time_difference: before and after together must not be negative; got before 1 "
    "ms and after -2 ms, so the window would end before it begins"
)
def join_window_that_ends_before_it_begins() -> None:
    JoinWindows.of_time_difference(1, after=-2)  # wrong


@refused("UnlimitedWindows.of: start must be milliseconds since 1970, not negative; got -1")
def unlimited_window_before_time() -> None:
    UnlimitedWindows.of(start=-1)  # wrong


@refused(
    "windowed_by takes TimeWindows, SlidingWindows, SessionWindows or UnlimitedWindows; got "
    "JoinWindows(before_ms=1, after_ms=1, grace_ms=0); JoinWindows are for joins"
)
def join_windows_for_an_aggregation() -> None:
    grouped().windowed_by(JoinWindows.of_time_difference(1))  # wrong


@refused(
    "store 'counts': retention must be at least 90000 ms, the windows' size plus their grace; got "
    "0:01:00; make it longer, or leave it out"
)
def retention_that_is_too_short() -> None:
    windowed = grouped().windowed_by(TimeWindows.of_size(MINUTE, grace=MINUTE / 2))
    windowed.count(Materialized("counts", retention=MINUTE))  # wrong


@refused(
    "count in windows must have a store without versions; got Materialized(history_retention="
    "0:01:00); pass retention= to keep windows longer"
)
def versions_of_windows() -> None:
    windowed = grouped().windowed_by(TimeWindows.of_size(MINUTE))
    windowed.count(Materialized("counts", history_retention=MINUTE))  # wrong


@refused(
    "emit_strategy(on_window_close()) must have windows that close; got UnlimitedWindows, which "
    "never do; use TimeWindows, or on_window_update()"
)
def final_results_of_a_window_without_an_end() -> None:
    windowed = grouped().windowed_by(UnlimitedWindows.of())
    windowed.emit_strategy(EmitStrategy.on_window_close())  # wrong


@refused(
    "EmitStrategy.on_window_close: idle_after must be at least 1 ms; got 0; pass how long to wait "
    "for a record, as in on_window_close(idle_after=timedelta(minutes=1)), or leave it out to wait "
    "for ever"
)
def idle_at_once() -> None:
    EmitStrategy.on_window_close(idle_after=0)  # wrong


@refused(
    "aggregate's merger must be a function; got Materialized(name='sums', key=None, "
    "value=None, store=None, caching=True, logging=True, retention=None, "
    "history_retention=None, max_entries=None)"
)
def sessions_without_a_merger() -> None:
    windowed = grouped().windowed_by(SessionWindows.of_inactivity_gap(MINUTE))
    windowed.aggregate(str, lambda key, value, total: value, Materialized("sums"))  # wrong


@refused(
    "aggregate's aggregator must take (key, value, aggregate); got the function <lambda>, which "
    "takes (value, total)"
)
def aggregator_without_the_key() -> None:
    windowed = grouped().windowed_by(TimeWindows.of_size(MINUTE))
    windowed.aggregate(str, lambda value, total: value)  # wrong


@refused("a topic's name must not be empty")
def late_records_to_no_topic() -> None:
    grouped().windowed_by(TimeWindows.of_size(MINUTE)).late_to("")  # wrong


@refused(
    "late_to takes a Produced; got Materialized(name='late', key=None, value=None, "
    "store=None, caching=True, logging=True, retention=None, history_retention=None, "
    "max_entries=None)"
)
def late_records_with_another_option() -> None:
    windowed = grouped().windowed_by(TimeWindows.of_size(MINUTE))
    windowed.late_to("late", Materialized("late"))  # wrong


@refused("cogroup takes a KGroupedStream; got an object of class KStream; group the stream first")
def cogroup_of_a_stream_that_is_not_grouped() -> None:
    builder = StreamsBuilder()
    cogrouped = builder.stream("one").group_by_key().cogroup(lambda key, value, total: value)
    cogrouped.cogroup(builder.stream("two"), lambda key, value, total: value)  # wrong

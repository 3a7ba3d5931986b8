"""Wrong tables are refused where they are written, with a message that says what to do."""

# mypy: ignore-errors
# Wrong on purpose: most of these programs do not pass a type checker either.

from __future__ import annotations

import pytest

from penstock import (
    BufferConfig,
    Consumed,
    Grouped,
    KTable,
    Materialized,
    Produced,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    ValueTransformerWithKey,
)
from tests.refusals.wrong import Wrong, WrongPrograms

WRONG = WrongPrograms()
refused = WRONG.refused


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.program.__name__)
def test_a_wrong_table_is_refused_at_its_line(wrong: Wrong) -> None:
    wrong.check()


def tables() -> tuple[KTable[str, str], KTable[str, str]]:
    builder = StreamsBuilder()
    return builder.table("left"), builder.table("right")


def pair(left: str, right: str) -> str:
    return f"{left}{right}"


class Shout(ValueTransformerWithKey):
    def transform(self, key: str, value: str | None) -> str | None:
        return value


# Grouping


@refused("group_by's mapper must be a function; got 'city'")
def group_by_a_name() -> object:
    left, _ = tables()
    return left.group_by("city")  # wrong


@refused("group_by's mapper must take (key, value); got the function <lambda>, which takes (value)")
def group_by_the_value_alone() -> object:
    left, _ = tables()
    return left.group_by(lambda value: (value, 1))  # wrong


@refused(
    "group_by takes a Grouped; got Produced(key=None, value=None, partitioner=None, name=None)"
)
def group_with_produced() -> object:
    left, _ = tables()
    return left.group_by(lambda key, value: (value, key), Produced())  # wrong


@refused(
    "aggregate's adder must take (key, value, aggregate); got the function <lambda>, which takes "
    "(value, aggregate)"
)
def add_without_the_key() -> object:
    left, _ = tables()
    groups = left.group_by(lambda key, value: (value, key))
    return groups.aggregate(int, lambda value, aggregate: 1, lambda k, v, a: 1)  # wrong


@refused(
    "reduce's subtractor must take (aggregate, value); got the function <lambda>, which takes "
    "(value)"
)
def subtract_without_the_aggregate() -> object:
    left, _ = tables()
    groups = left.group_by(lambda key, value: (value, key))
    return groups.reduce(lambda total, value: total, lambda value: value)  # wrong


@refused("reduce's subtractor must be a function; got Materialized(name='sums', key=None, value=None, store=None, caching=True, logging=True, retention=None, history_retention=None, max_entries=None)")  # fmt: skip  # noqa: E501
def reduce_without_a_subtractor() -> object:
    left, _ = tables()
    groups = left.group_by(lambda key, value: (value, key), Grouped("groups"))
    return groups.reduce(lambda total, value: total, Materialized("sums"))  # wrong


# Joins


@refused("join of a table takes another KTable; got 'right'")
def join_a_name() -> object:
    left, _ = tables()
    return left.join("right", pair)  # wrong


@refused(
    "join takes a table of the same StreamsBuilder; got one of another builder; make both with one"
)
def join_a_table_of_another_builder() -> object:
    left, _ = tables()
    _, other = tables()
    return left.join(other, pair)  # wrong


@refused(
    "outer_join's joiner must take (left, right); got the function <lambda>, which takes (both)"
)
def join_both_at_once() -> object:
    left, right = tables()
    return left.outer_join(right, lambda both: both)  # wrong


@refused(
    "outer_join takes a Materialized; got Consumed(key=None, value=None, timestamp_extractor=None, "
    "offset_reset=None, name=None)"
)
def join_with_consumed() -> object:
    left, right = tables()
    return left.outer_join(right, pair, Consumed())  # wrong


# Transformers


@refused(
    "transform_values takes a class derived from ValueTransformerWithKey, or a function that gives "
    "a new one; got the function <lambda>, which takes (key, value); to map values with a plain "
    "function use map_values"
)
def transform_with_a_function() -> object:
    left, _ = tables()
    return left.transform_values(lambda key, value: value)  # wrong


@refused(
    "transform_values takes a class derived from ValueTransformerWithKey, or a function that gives "
    "a new one; got an object of class Shout; pass the class Shout"
)
def transform_with_an_object() -> object:
    left, _ = tables()
    return left.transform_values(Shout())  # wrong


@refused(
    "transform_values takes a class derived from ValueTransformerWithKey, or a function that gives "
    "a new one; got None; to map values with a plain function use map_values"
)
def transform_with_nothing() -> object:
    left, _ = tables()
    return left.transform_values(None)  # wrong


@refused(
    "transform_values takes a class derived from ValueTransformerWithKey, or a function that gives "
    "a new one; the class list gave [], which has no init"
)
def transform_with_a_list() -> object:
    left, _ = tables()
    return left.transform_values(list)  # wrong


@refused(
    "transform_values must be given a new transformer each time; the function <lambda> gave an "
    "object of class Shout twice"
)
def transform_with_one_object() -> object:
    left, _ = tables()
    shout = Shout()
    return left.transform_values(lambda: shout)  # wrong


@refused("state_stores must be a list of names; got 'seen'; write ['seen']")
def transform_with_one_store() -> object:
    left, _ = tables()
    return left.transform_values(Shout, state_stores="seen")  # wrong


# Versions


@refused(
    "a versioned table must have a named store; got Materialized(history_retention=...) without a "
    "name; write Materialized('rows', history_retention=...)"
)
def version_without_a_name() -> object:
    builder = StreamsBuilder()
    return builder.table("in", materialized=Materialized(history_retention=5))  # wrong


@refused(
    "a versioned table must have a named store; got Materialized(history_retention=...) without a "
    "name; write Materialized('rows', history_retention=...)"
)
def version_a_view_without_a_name() -> object:
    left, _ = tables()
    return left.map_values(str, Materialized(history_retention=5))  # wrong


# Suppress


@refused(
    "suppress(Suppressed.until_window_closes()) must stand below a windowed aggregation; got "
    "KTABLE-SOURCE-0000000002; use windowed_by(...) before it, or Suppressed.until_time_limit(...)"
)
def suppress_a_table_until_windows_close() -> object:
    left, _ = tables()
    return left.suppress(Suppressed.until_window_closes())  # wrong


@refused(
    "suppress(Suppressed.until_window_closes()) must stand below a windowed aggregation; got "
    "KSTREAM-SOURCE-0000000000 -> KSTREAM-AGGREGATE-0000000002 -> KTABLE-MAPVALUES-0000000003; use "
    "windowed_by(...) before it, or Suppressed.until_time_limit(...)"
)
def suppress_a_count_until_windows_close() -> object:
    counts = StreamsBuilder().stream("in").group_by_key().count()
    return counts.map_values(str).suppress(Suppressed.until_window_closes())  # wrong


@refused(
    "suppress must be given a table without versions; got a versioned one, or a view of one; leave "
    "out history_retention"
)
def suppress_a_versioned_table() -> object:
    builder = StreamsBuilder()
    rows = builder.table("in", materialized=Materialized("rows", history_retention=5))
    return rows.map_values(str).suppress(Suppressed.until_time_limit(5))  # wrong


@refused("suppress takes a Suppressed; got 5")
def suppress_for_a_number() -> object:
    left, _ = tables()
    return left.suppress(5)  # wrong


@refused(
    "Suppressed.until_window_closes must have a buffer that does not emit early; got "
    "BufferConfig(max_records=5, max_bytes=None, when_full='emit_early', logging=True); use "
    "BufferConfig.unbounded() or .shut_down_when_full()"
)
def emit_early_before_windows_close() -> object:
    windows = StreamsBuilder().stream("in").group_by_key().windowed_by(TimeWindows.of_size(5))
    early = BufferConfig(max_records=5)
    return windows.count().suppress(Suppressed.until_window_closes(early))  # wrong


@refused(
    "Suppressed.until_time_limit's limit must not be negative; got -1; pass a timedelta or "
    "milliseconds"
)
def suppress_until_the_past() -> object:
    return Suppressed.until_time_limit(-1)  # wrong


@refused("Suppressed.until_time_limit's limit must be a timedelta or whole milliseconds; got '5 s'")
def suppress_until_a_text() -> object:
    return Suppressed.until_time_limit("5 s")  # wrong


@refused(
    "Suppressed.until_window_closes: idle_after must be at least 1 ms; got 0; pass how long to "
    "wait for a record, as in until_window_closes(idle_after=timedelta(minutes=1)), or leave it "
    "out to wait for ever"
)
def idle_at_once() -> object:
    return Suppressed.until_window_closes(idle_after=0)  # wrong


@refused("Suppressed.until_time_limit takes a BufferConfig; got 100")
def a_number_as_a_buffer() -> object:
    return Suppressed.until_time_limit(5, 100)  # wrong


@refused("BufferConfig(max_records=...) must be a whole number of at least 0; got -1")
def a_buffer_for_less_than_nothing() -> object:
    return BufferConfig(max_records=-1)  # wrong


@refused("BufferConfig(max_bytes=...) must be a whole number of at least 0; got 1.5")
def a_buffer_for_half_bytes() -> object:
    return BufferConfig(max_bytes=1.5)  # wrong


@refused("BufferConfig(when_full=...) must be 'emit_early' or 'shut_down'; got 'wait'")
def a_buffer_that_waits() -> object:
    return BufferConfig(max_bytes=5, when_full="wait")  # wrong


@refused("a name must consist of ASCII letters, digits, '.', '_' and '-'; got 'my buffer' with ' '")
def a_name_with_a_space() -> object:
    return Suppressed.until_time_limit(5, name="my buffer")  # wrong

"""Suppressed: until when `suppress` holds the changes of a table back, and how many it may hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from penstock._camel_case import ExplainsCamelCase, ExplainsJavaNames
from penstock._durations import Duration
from penstock._engine.topology.checks import check_option
from penstock._engine.topology.graph import ProcessorDrawing
from penstock._engine.topology.nodes.table_nodes import TableSuppress
from penstock._engine.topology.rewrites.table_needs import Ask, send_old_values
from penstock._engine.topology.rewrites.window_search import find_window_grace, go_on_when_idle
from penstock._names import check_name
from penstock.dsl.handle import TableHandle
from penstock.dsl.options import check_duration
from penstock.errors import TopologyError
from penstock.stores import Logging, StoreBuilder
from penstock.stores._builders import check_logging, suppression_buffer_builder


@dataclass(frozen=True, slots=True)
class BufferConfig(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    """How much a buffer may hold and what happens when it is full. Java: Suppressed.BufferConfig.

    `max_records` counts rows, `max_bytes` the bytes of their keys, values and headers; None is no
    limit. A full buffer emits its oldest rows early, or stops the application. `logging` is True,
    False, or the settings of the changelog topic.

    >>> BufferConfig(max_records=1000).shut_down_when_full().when_full
    'shut_down'
    """

    _java_names: ClassVar[dict[str, str]] = {
        "maxRecords": "max_records, as in BufferConfig(max_records=...)",
        "maxBytes": "max_bytes, as in BufferConfig(max_bytes=...)",
        "withMaxRecords": "max_records, as in BufferConfig(max_records=...)",
        "withMaxBytes": "max_bytes, as in BufferConfig(max_bytes=...)",
        "withLoggingEnabled": "logging, as in BufferConfig(logging={...})",
    }

    max_records: int | None = None
    max_bytes: int | None = None
    when_full: Literal["emit_early", "shut_down"] = "emit_early"
    logging: Logging = True

    def __post_init__(self) -> None:
        for name, limit in (("max_records", self.max_records), ("max_bytes", self.max_bytes)):
            if limit is not None and (
                not isinstance(limit, int) or isinstance(limit, bool) or limit < 0
            ):
                msg = (
                    f"BufferConfig({name}=...) must be a whole number of at least 0; got {limit!r}"
                )
                raise TopologyError(msg)
        if self.when_full not in ("emit_early", "shut_down"):
            msg = (
                "BufferConfig(when_full=...) must be 'emit_early' or 'shut_down'; got "
                f"{self.when_full!r}"
            )
            raise TopologyError(msg)
        check_logging(self.logging)

    @staticmethod
    def unbounded() -> BufferConfig:
        """Ask for a buffer without limits: it may fill the memory.

        >>> BufferConfig.unbounded()
        BufferConfig(max_records=None, max_bytes=None, when_full='shut_down', logging=True)
        """
        return BufferConfig(when_full="shut_down")

    @property
    def is_bounded(self) -> bool:
        return self.max_records is not None or self.max_bytes is not None

    def with_no_bound(self) -> BufferConfig:
        """Return the same config without limits.

        >>> BufferConfig(max_records=10).with_no_bound().is_bounded
        False
        """
        return replace(self, max_records=None, max_bytes=None)

    def emit_early_when_full(self) -> BufferConfig:
        """Return the same config, so that a full buffer emits its oldest rows.

        >>> BufferConfig(max_records=1000).emit_early_when_full().when_full
        'emit_early'
        """
        return replace(self, when_full="emit_early")

    def shut_down_when_full(self) -> BufferConfig:
        """Return the same config, so that a full buffer stops the application.

        >>> BufferConfig(max_bytes=1_000_000).shut_down_when_full().when_full
        'shut_down'
        """
        return replace(self, when_full="shut_down")

    def with_logging_disabled(self) -> BufferConfig:
        """Return the same config without a changelog: a restart loses what is buffered.

        >>> BufferConfig(max_records=1000).with_logging_disabled().logging
        False
        """
        return replace(self, logging=False)


@dataclass(frozen=True, slots=True)
class Suppressed(ExplainsCamelCase, metaclass=ExplainsJavaNames):
    """Until when changes are held back: `Suppressed.until_window_closes()` or
    `Suppressed.until_time_limit(duration)`. Java: Suppressed.

    >>> counts = by_customer.windowed_by(two_minutes).count(Materialized("counts"))
    >>> show(counts.suppress(Suppressed.until_window_closes()))
    [('[ann@0/120000]', 1), ('[bob@0/120000]', 1)]
    """

    _java_names: ClassVar[dict[str, str]] = {
        "untilWindowCloses": "until_window_closes()",
        "untilTimeLimit": "until_time_limit(duration)",
        "withName": "until_time_limit(duration, name=...)",
    }

    limit_ms: int | None
    """None: until the window closes."""
    buffer: BufferConfig
    name: str | None = None
    idle_after_ms: int | None = None

    def __post_init__(self) -> None:
        buffer = check_option(self.buffer, BufferConfig, "Suppressed")
        if self.limit_ms is None and buffer.is_bounded and buffer.when_full == "emit_early":
            msg = (
                "Suppressed.until_window_closes must have a buffer that does not emit early; got "
                f"{buffer!r}; use BufferConfig.unbounded() or .shut_down_when_full()"
            )
            raise TopologyError(msg)

    @staticmethod
    def until_window_closes(
        buffer: BufferConfig | None = None,
        *,
        name: str | None = None,
        idle_after: Duration | None = None,
    ) -> Suppressed:
        """Emit only the last result of each window, when it takes no more records. Java:
        Suppressed.untilWindowCloses.

        The buffer must not emit early: it is unbounded, or stops the application when it is full.
        Windows close with stream time, which stands still where no record comes. With `idle_after`
        it goes on: once a task has had no record for that long, its windows close as if stream time
        had moved on with the wall clock since its last record; a record behind that time is late
        then. Java has no such thing.

        >>> counts = by_customer.windowed_by(two_minutes).count(Materialized("counts"))
        >>> show(counts.suppress(Suppressed.until_window_closes(BufferConfig.unbounded())))
        [('[ann@0/120000]', 1), ('[bob@0/120000]', 1)]
        """
        config = _buffer(buffer, "until_window_closes")
        return Suppressed(None, config, _checked_name(name), _idle_after_ms(idle_after))

    @staticmethod
    def until_time_limit(
        limit: Duration, buffer: BufferConfig | None = None, *, name: str | None = None
    ) -> Suppressed:
        """Emit the last value of a row once stream time has moved on by `limit` since its first
        change that was held back. Java: Suppressed.untilTimeLimit.

        >>> counts = by_customer.count(Materialized("counts"))
        >>> show(counts.suppress(Suppressed.until_time_limit(timedelta(minutes=3))))
        [('ann', 2), ('bob', 1)]
        """
        limit_ms = check_duration(limit, "Suppressed.until_time_limit's limit")
        config = _buffer(buffer, "until_time_limit")
        return Suppressed(limit_ms, config, _checked_name(name))


def draw_suppress(table: TableHandle, suppressed: Suppressed) -> int:
    """Draw the step that buffers the changes of `table`."""
    option = check_option(suppressed, Suppressed, "suppress")
    graph, step = table.graph, table.step
    if table.is_versioned:
        msg = (
            "suppress must be given a table without versions; got a versioned one, or a view of "
            "one; leave out history_retention"
        )
        raise TopologyError(msg)
    name = option.name or graph.names.processor("KTABLE-SUPPRESS-")
    wait_ms = find_window_grace(graph, step) if option.limit_ms is None else option.limit_ms
    store = _store(table, option)
    send_old_values(graph, step, Ask.ALWAYS)
    if option.idle_after_ms is not None:
        go_on_when_idle(graph, step, option.idle_after_ms)
    operation = TableSuppress(
        store,
        wait_ms,
        until_window_closes=option.limit_ms is None,
        max_records=option.buffer.max_records,
        max_bytes=option.buffer.max_bytes,
        emits_early_when_full=option.buffer.when_full == "emit_early",
        idle_after_ms=option.idle_after_ms,
        sends_old_values=True,
    )
    return table.add(ProcessorDrawing(name, operation))


def _store(table: TableHandle, option: Suppressed) -> StoreBuilder:
    graph, logging = table.graph, option.buffer.logging
    if option.name is not None:
        name = f"{option.name}-store"
    else:
        name = graph.names.store("KTABLE-SUPPRESS-")
        if logging is not False:
            graph.unnamed_changelogs.append(f"{name}-changelog")
    return suppression_buffer_builder(name, table.key_serde, table.value_serde, logging=logging)


def _buffer(buffer: BufferConfig | None, verb: str) -> BufferConfig:
    if buffer is None:
        return BufferConfig.unbounded()
    return check_option(buffer, BufferConfig, f"Suppressed.{verb}")


def _checked_name(name: str | None) -> str | None:
    return None if name is None else check_name(name)


def _idle_after_ms(idle_after: Duration | None) -> int | None:
    if idle_after is None:
        return None
    what = "Suppressed.until_window_closes: idle_after"
    idle_after_ms = check_duration(idle_after, what)
    if idle_after_ms < 1:
        msg = (
            f"{what} must be at least 1 ms; got {idle_after!s}; pass how long to wait for a "
            "record, as in until_window_closes(idle_after=timedelta(minutes=1)), or leave it out "
            "to wait for ever"
        )
        raise TopologyError(msg)
    return idle_after_ms

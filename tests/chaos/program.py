"""The program under fire: every kind of state, and answers that do not depend on interleaving.

All values are functions of the input alone, so `model.py` knows the right answer without any part
of Penstock's runtime. `java/Twin.java` is the same program for Java Kafka Streams.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from penstock import (
    Consumed,
    EmitStrategy,
    Grouped,
    Joined,
    JoinWindows,
    KStream,
    KTable,
    Materialized,
    Produced,
    SessionWindows,
    StreamJoined,
    StreamsBuilder,
    TableJoined,
    TimeWindows,
    Topology,
    Windowed,
    serdes,
)
from penstock._engine.state.rocksdb.settings import RocksDbSettings
from penstock.dsl.suppressed import BufferConfig, Suppressed
from penstock.handlers import DefaultProductionExceptionHandler, ErrorHandlerContext, Response
from penstock.record import ProducerRecord
from penstock.settings import StreamsConfig

PARTITIONS: Final = 4
INPUTS: Final = ("events", "clicks", "profiles", "plans", "orders", "customers", "blobs")
OUTPUTS: Final = (
    "counts",
    "letters",
    "closed",
    "final",
    "sessions",
    "matches",
    "joined",
    "profiles-out",
    "orders-out",
    "blobs-out",
    "dead",
)

WINDOW_MS: Final = 2_000
GRACE_MS: Final = 1_000
GAP_MS: Final = 1_500
NEAR_MS: Final = 1_000
SESSION_SECONDS: Final = 3.0
POLL_INTERVAL_SECONDS: Final = 30.0

_JOIN_GRACE_MS: Final = 10 * 60 * 1000
_TEXT, _LONG = serdes.string(), serdes.long()


class Troubles:
    """Trouble that the harness asks a user's function for, once, by a file in a folder.

    `hang 20`: one record takes 20 s. `slow 0.02`: while the file is there, each record takes 20 ms.
    `exit 3`, `quit 3`, `abort`: os._exit, sys.exit, SIGABRT, at one record.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def __call__(self, value: int) -> int:
        with suppress(FileNotFoundError):
            time.sleep(float((self._folder / "slow").read_text()))
        for name, happen in _ONCE.items():
            with suppress(FileNotFoundError):
                (self._folder / name).rename(self._folder / f"{name}.taken")
                happen(float((self._folder / f"{name}.taken").read_text()))
        return value


def _abort(_code: float) -> None:
    os.kill(os.getpid(), signal.SIGABRT)


_ONCE: dict[str, Callable[[float], Any]] = {
    "hang": time.sleep,
    "exit": lambda code: os._exit(int(code)),
    "quit": lambda code: sys.exit(int(code)),
    "abort": _abort,
}


class SkipTooLarge(DefaultProductionExceptionHandler):
    """Drop a record that the broker would not take, and write its source to the dead letters."""

    def handle_error(
        self, context: ErrorHandlerContext, record: ProducerRecord, exception: Exception
    ) -> Response:
        decided = super().handle_error(context, record, exception)
        return decided if not decided.dead_letters else Response.resume(decided.dead_letters)


def topology(app: str, troubles: str) -> Topology:
    """Draw the program; its topics are `<app>-<name>`, its troubles come from a folder."""
    builder = StreamsBuilder()
    events = builder.stream(f"{app}-events", Consumed(_TEXT, _LONG)).map_values(Troubles(troubles))
    _counts(app, events)
    _windows(app, events)
    _joins(app, builder, events)
    orders = _table(app, builder, "orders")
    customers = _table(app, builder, "customers")
    placed = orders.join(
        customers,
        _customer_of,
        _placed,
        TableJoined("placed"),
        Materialized("placed", _TEXT, _TEXT),
    )
    placed.to_stream().to(f"{app}-orders-out", Produced(_TEXT, _TEXT))
    blobs = builder.stream(f"{app}-blobs", Consumed(_TEXT, _LONG))
    blobs.map_values(_blob).to(f"{app}-blobs-out", Produced(_TEXT, _TEXT))
    return builder.build()


def _counts(app: str, events: KStream[str, int]) -> None:
    counts = (
        events.group_by_key(Grouped("by-key", _TEXT, _LONG))
        .count(Materialized("counts", _TEXT, _LONG))
        .to_stream()
    )
    counts.to(f"{app}-counts", Produced(_TEXT, _LONG))
    (
        counts.group_by(_letter, Grouped("letters", _TEXT, _LONG))
        .count(Materialized("letters", _TEXT, _LONG))
        .to_stream()
        .to(f"{app}-letters", Produced(_TEXT, _LONG))
    )


def _windows(app: str, events: KStream[str, int]) -> None:
    grouped = events.group_by_key(Grouped("by-key-too", _TEXT, _LONG))
    tumbling = TimeWindows.of_size(WINDOW_MS, grace=GRACE_MS)
    closed = grouped.windowed_by(tumbling).count(Materialized("tumbling", _TEXT, _LONG))
    suppressed = closed.suppress(
        Suppressed.until_window_closes(BufferConfig.unbounded(), name="closing")
    )
    _shown(suppressed).to(f"{app}-closed", Produced(_TEXT, _TEXT))
    on_close = grouped.windowed_by(tumbling).emit_strategy(EmitStrategy.on_window_close())
    final = on_close.count(Materialized("on-close", _TEXT, _LONG))
    _shown(final).to(f"{app}-final", Produced(_TEXT, _TEXT))
    gap = SessionWindows.of_inactivity_gap(GAP_MS, grace=GRACE_MS)
    sessions = grouped.windowed_by(gap).count(Materialized("sessions", _TEXT, _LONG))
    _shown(sessions).to(f"{app}-sessions", Produced(_TEXT, _TEXT))


def _joins(app: str, builder: StreamsBuilder, events: KStream[str, int]) -> None:
    clicks = builder.stream(f"{app}-clicks", Consumed(_TEXT, _LONG))
    near = JoinWindows.of_time_difference(NEAR_MS, grace=_JOIN_GRACE_MS)
    kept = StreamJoined(store_name="matches", key=_TEXT, value=_LONG, other_value=_LONG)
    events.join(clicks, _match, near, kept).to(f"{app}-matches", Produced(_TEXT, _TEXT))
    profiles = _table(app, builder, "profiles")
    profiles.to_stream().to(f"{app}-profiles-out", Produced(_TEXT, _TEXT))
    plans = builder.global_table(
        f"{app}-plans", Consumed(_TEXT, _TEXT), Materialized("plans", _TEXT, _TEXT)
    )
    (
        events.left_join(profiles, _with, Joined("with-profile", _TEXT, _LONG, _TEXT))
        .left_join(plans, _letter, _with)
        .to(f"{app}-joined", Produced(_TEXT, _TEXT))
    )


def _table(app: str, builder: StreamsBuilder, name: str) -> KTable[str, str]:
    return builder.table(f"{app}-{name}", Consumed(_TEXT, _TEXT), Materialized(name, _TEXT, _TEXT))


def _shown(windows: KTable[Windowed[str], int]) -> KStream[str, str]:
    return windows.to_stream().map(_window_shown)


def _window_shown(window: Windowed[str], count: int | None) -> tuple[str, str]:
    return window.key, f"{window.start}-{window.end}={count}"


def _letter(key: str, _value: object) -> str:
    return key[0]


def _match(event: int, click: int) -> str:
    return f"{event}&{click}"


def _with(left: object, right: object) -> str:
    return f"{left}|{right}"


def _customer_of(order: str) -> str:
    return order.split(":", maxsplit=1)[0]


def _placed(order: str, customer: str) -> str:
    return f"{order} by {customer}"


def _blob(size: int) -> str:
    return "x" * size


def settings(servers: str, state_dir: str, app: str, guarantee: str) -> StreamsConfig:
    """Commit often, show every update, notice a dead member after three seconds."""
    return StreamsConfig(
        {
            "application.id": app,
            "bootstrap.servers": servers,
            "state.dir": state_dir,
            "processing.guarantee": guarantee,
            "commit.interval.ms": 100,
            "statestore.cache.max.bytes": 0,
            "consumer.session.timeout.ms": int(SESSION_SECONDS * 1000),
            "consumer.heartbeat.interval.ms": 500,
            "consumer.max.poll.interval.ms": int(POLL_INTERVAL_SECONDS * 1000),
            "producer.transaction.timeout.ms": 5000,
            "replication.factor": -1,
            "deserialization.exception.handler": "LogAndContinueExceptionHandler",
            "production.exception.handler": SkipTooLarge(),
            "errors.dead.letter.queue.topic.name": f"{app}-dead",
            "penstock.turn.ms": 2000,
            "rocksdb.config.setter": _small_buffers,
        }
    )


def _small_buffers(_store: str, settings: RocksDbSettings) -> None:
    """Have buffers full within minutes and not within hours: files are made all the time, and what
    still grows after the warm-up is a leak.
    """
    settings.write_buffer_bytes = 256 * 1024
    settings.block_cache_bytes = 1024 * 1024
    settings.cache_index_and_filter_blocks = True

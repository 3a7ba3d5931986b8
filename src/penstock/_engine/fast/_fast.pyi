from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from penstock._engine.kafka.client.bulk import ClientError, Portion
from penstock._engine.metrics.counters import TaskCounters
from penstock._engine.operators.site import Process
from penstock._engine.runtime.input.intake import Decoders
from penstock._engine.runtime.input.partition_run import Fail
from penstock._engine.runtime.input.record_queue import RecordQueue
from penstock._engine.runtime.output.collector import Collect
from penstock._engine.runtime.output.row_sender import Target
from penstock._engine.runtime.position import Position, RawScope
from penstock._engine.runtime.records import Head, Output, RawRecord
from penstock._engine.spark.batch.tasks.record_columns import TakenColumns
from penstock._engine.state.cache.entries import CacheChange, CachedPair, RecordInHand
from penstock._engine.state.cache.flush import FlushListener, Put
from penstock._engine.state.cache.fold import Aggregator, Initializer, PutRow
from penstock._engine.state.logged import Log
from penstock._engine.state.segments.recent_rows import RecentRows, Row
from penstock._engine.state.segments.rows import RowClock, Rows
from penstock.record import HeaderPairs

T = TypeVar("T")

ColumnBuffers: TypeAlias = tuple[int, object | None, object | None, object | None]
"""(first row, validity, values or offsets, bytes) of a column of Arrow."""

# bulk.c

class _Client: ...

def connect_librdkafka(library: str, error_type: type[ClientError], /) -> str | None: ...
def newest_client() -> _Client: ...
def begin_reading(client: _Client, /) -> None: ...
def read_messages(
    client: _Client, wait_ms: int, limit: int, on_fault: Callable[[ClientError], Any], /
) -> list[Portion]: ...
def wake_reader(client: _Client, /) -> None: ...
def write_messages(client: _Client, outputs: list[Output], first: int, /) -> tuple[int, int]: ...
def failed_messages(
    client: _Client, /
) -> list[tuple[str, int, bytes | None, bytes | None, ClientError]]: ...

# columns.c

def column_partitions(column: ColumnBuffers, rows: int, partitions: int, /) -> bytes: ...
def column_records(
    rows: int,
    next_offset: int,
    offsets: ColumnBuffers | None,
    timestamps: ColumnBuffers,
    keys: ColumnBuffers,
    values: ColumnBuffers,
    headers: list[HeaderPairs] | None,
    /,
) -> list[RawRecord]: ...

# entries.c

class CacheBudget:
    limit_bytes: int
    used_bytes: int
    def __init__(self, limit_bytes: int) -> None: ...

class Entries:
    @property
    def used_bytes(self) -> int: ...
    def __init__(
        self,
        budget: CacheBudget,
        position: RecordInHand,
        miss: Callable[[bytes], bytes | None],
        note_new: Callable[[bytes], None] | None,
        give_way: Callable[[], None],
        key_bytes: int = 0,
        /,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: bytes, /) -> bool: ...
    def get(self, key: bytes, /) -> bytes | None: ...
    def peek(self, key: bytes, /) -> bytes | None: ...
    def write(
        self, key: bytes, value: bytes | None, timestamp: int, headers: HeaderPairs, /
    ) -> None: ...
    def decoding(self, decode: Callable[[bytes], Any], /) -> Callable[[bytes], Any]: ...
    def keep(self, key: bytes, value: bytes, /) -> None: ...
    def used(self, keys: Iterable[bytes], /) -> list[CachedPair]: ...
    def in_order_of_use(self) -> list[bytes]: ...
    def pop_oldest(self) -> CacheChange | None: ...
    def take_changes(self) -> list[CacheChange]: ...
    def drop_deleted(self, key: bytes, /) -> None: ...
    def clear(self) -> None: ...

class Fold:
    def __init__(
        self,
        entries: Entries,
        decode_row: Callable[[bytes], tuple[int, Any]],
        put: PutRow,
        initializer: Initializer,
        aggregator: Aggregator,
        of_longs: bool,
        counts: bool,
        /,
    ) -> None: ...
    def fold(
        self, raw_key: bytes, key: Any, value: Any, timestamp: int, headers: HeaderPairs, /
    ) -> None: ...

# fields.c

class PositionFields:
    keeps_bytes: bool
    partition: int
    raw: RawRecord | None
    stream_time_ms: int
    topic: str | None

class ScopeFields:
    sent: bool

class QueueFields:
    decoders: Decoders | None
    head: Head | None
    partition_time: int
    process: Process
    raws: deque[RawRecord]

class ClockFields:
    expired: int
    observed: int

class RowFields:
    clock: RowClock
    interval: int
    recent: RecentRows | None

# flush.c

def flush_puts(
    changes: list[CacheChange], put: Put, log: Log | None, listener: FlushListener, /
) -> int: ...

# lost_floats.c

def guarded(encode: Callable[[T], bytes], look: Callable[[T], None], /) -> Callable[[T], bytes]: ...

# murmur2.c

def partition_of(key: bytes, partitions: int, /) -> int: ...

# murmur3.c

def hash_of(data: bytes, /) -> bytes: ...

# partition_run.c

class PartitionRun:
    def __init__(self, skipped: object, /) -> None: ...
    def process(
        self,
        queue: RecordQueue,
        position: Position,
        counters: TaskCounters,
        fail: Fail,
        count: int,
        before: int,
        deadline: float,
        /,
    ) -> int: ...

# recent_rows.c

class Tail:
    first: bytes
    rows: dict[bytes, bytes]
    def __init__(self, first: bytes, rows: dict[bytes, bytes], /) -> None: ...

class KnownRows:
    young: dict[bytes, Tail]
    old: dict[bytes, Tail]
    unsorted: list[tuple[bytes, bytes | None]]
    since: bytes
    latest: bytes
    young_count: int
    young_max: int
    length: int

def note_row(recent: RecentRows, row_key: bytes, row: bytes | None, /) -> None: ...
def rows_of_key(rows: Rows, raw_key: bytes, time_from: int, time_to: int, /) -> list[Row]: ...

# record_columns.c

class RecordColumns:
    rows: int
    def append(self, key: bytes | None, value: bytes | None, timestamp: int, /) -> None: ...
    def take(self) -> TakenColumns: ...

def add_outputs(
    outputs: list[Output],
    first: int,
    skipped: set[str],
    places: dict[str, list[RecordColumns | None]],
    /,
) -> tuple[int, int]: ...

# row_sender.c

class RowSender:
    def __init__(self, send: Collect, target: Target, /) -> None: ...
    def log(
        self, row_key: bytes, row: bytes | None, timestamp: int, headers: HeaderPairs, /
    ) -> None: ...
    def on_flush(
        self,
        row_key: bytes,
        new: bytes | None,
        old: bytes | None,
        timestamp: int,
        headers: HeaderPairs,
        /,
    ) -> None: ...

# sink.c

class Sender:
    def __init__(
        self,
        topic: str,
        key: tuple[type, Callable[[Any], bytes]],
        value: tuple[type, Callable[[Any], bytes]],
        scope: RawScope,
        collect: Collect,
        plainly: Callable[..., None],
        /,
    ) -> None: ...
    def send(
        self,
        key: Any,
        value: Any,
        timestamp: int,
        headers: HeaderPairs,
        partition: int | None = None,
        /,
    ) -> None: ...

class Guard:
    def __init__(
        self,
        collect: Collect,
        suspicious: int,
        look_closely: Collect,
        /,
    ) -> None: ...
    def collect(self, output: Output, /) -> None: ...

# sizes.c

def size_of_records(records: list[RawRecord], /) -> int: ...
def sizes_of_outputs(outputs: list[Output], every: int, /) -> dict[str, tuple[int, int]]: ...

"""What is asked of the workers, and what they answer: plain data, sent as MessagePack.

Keys and values are bytes: types are known where a question is asked, and a worker needs no serdes
to answer it. A `Read` is one method of one kind of store; rows have one shape for all kinds. All
are msgspec's structs: they are made for each key that is asked for, and a frozen dataclass takes
ten times as long. What has its default is not sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec
from msgspec import structs

from penstock.windows import END_OF_TIME

ReadKind: TypeAlias = Literal[
    "get",
    "range",
    "prefix",
    "count",
    "window",
    "windows",
    "window_range",
    "session",
    "sessions",
    "session_range",
    "version",
    "versions",
    "restoring",
]
"""`restoring` is of every kind of store: one row while it is restored, with the changelog offset
that it has reached and the one that it restores to in the place of start and end; else none.
"""

GLOBAL = -1
"""The partition of a store that every worker holds whole."""

Row: TypeAlias = tuple[bytes, bytes, int | None, int | None, int | None]
"""(key, value, timestamp if the store has one, start and end of its window, session or validity).
"""

Position: TypeAlias = dict[str, dict[int, int]]
"""Up to which offset of each input partition a task has processed. Java: Position."""

FailureKind: TypeAlias = Literal["absent", "not_ready", "unknown", "refused", "failed", "elsewhere"]
"""absent: the task is not here; not_ready: it restores; unknown: it has no such store; refused: the
store cannot be asked this; failed: reading it raised; elsewhere: it is with a driver that cannot be
asked.
"""


ANSWER_BYTES_MAX = 4 << 20
"""About how long an answer may be; the pages of all its partitions share it."""

BEHIND_LAST_ROW = -1
"""The cursor of a page of which no scan is kept: more rows may be behind its last one
(`Read.behind`).
"""

SCAN_ENDED = "the scan was open for too long, or its task has moved; begin it again"


class Read(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is read from the part of a store that a task has. Bounds are included."""

    kind: ReadKind
    keys: tuple[bytes, ...] = ()
    key_from: bytes | None = None
    key_to: bytes | None = None
    time_from: int = 0
    time_to: int = END_OF_TIME
    reverse: bool = False
    anew: bool = False
    """Of a `range`: whether what is behind a page is asked for as another range, so that no scan
    stays open for it, whose snapshot would keep old rows.
    """
    begins_behind: bool = False
    """Of a `range`: whether the bound at which it begins is left out."""

    def behind(self, key: bytes) -> Read:
        """Return the range that is left behind a key."""
        if self.reverse:
            return structs.replace(self, key_to=key, begins_behind=True)
        return structs.replace(self, key_from=key, begins_behind=True)

    def of_key(self, key: bytes) -> Read:
        """Return the same read of one key."""
        times = self.time_from, self.time_to
        return Read(self.kind, (key,), self.key_from, self.key_to, *times, self.reverse)


class Question(msgspec.Struct, frozen=True, omit_defaults=True):
    """A read of some partitions of a store, or the next page of one (`cursor`)."""

    number: int
    store: str
    read: Read
    partitions: tuple[int, ...]
    uncommitted: bool = False
    stale_ok: bool = False
    rows_max: int = 1000
    cursor: int | None = None
    seconds: float = 10.0
    """How long the answer is of use."""
    keys: tuple[tuple[bytes, ...], ...] = ()
    """The keys of each partition, in the place of those of `read`, which are then none."""
    bytes_max: int = ANSWER_BYTES_MAX
    """About how many bytes of rows the answer may have; a page has one row at least."""

    def numbered(self, number: int) -> Question:
        """Return the question under a number."""
        return structs.replace(self, number=number)

    @property
    def room(self) -> int:
        """How many bytes of rows are answered: never more than a worker allows."""
        return max(1, min(self.bytes_max, ANSWER_BYTES_MAX))

    @property
    def weights(self) -> list[int]:
        """How much of the room each partition has, in proportion: the more keys, the more."""
        if self.keys:
            return [max(1, len(keys)) for keys in self.keys]
        return [1] * len(self.partitions)

    def read_of(self, index: int) -> Read:
        """Return what is read of the partition at `index`."""
        return structs.replace(self.read, keys=self.keys[index]) if self.keys else self.read

    @property
    def key_bytes(self) -> int:
        """The size of all keys: nothing else makes a question long."""
        read = self.read
        size = len(read.key_from or b"") + len(read.key_to or b"") + sum(map(len, read.keys))
        return size + sum(len(key) for keys in self.keys for key in keys) if self.keys else size


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of one task: rows of one point in time, or why there are none."""

    partition: int
    rows: tuple[Row, ...] = ()
    cursor: int | None = None
    """How to ask for the next page; None if there is none. Or `BEHIND_LAST_ROW`."""
    position: Position = msgspec.field(default_factory=dict)
    offsets_behind: int = 0
    """How many offsets of its changelogs a copy that restores has not read yet."""
    failure: FailureKind | None = None
    message: str = ""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a worker answers to a question."""

    number: int
    parts: tuple[Part, ...] = ()
    busy: str = ""
    """What the worker was doing when the time for the answer was over."""


Ended: TypeAlias = Callable[[Answer | None], None]
"""Takes the answer to a question, None if none will come."""


class QuestionPoll(msgspec.Struct, frozen=True, omit_defaults=True):
    """A worker brings its answers and asks for the next questions."""

    member_id: str
    pid: int
    answers: tuple[Answer, ...] = ()
    answer_seconds: float = 0.0
    """How long the answers took in the worker: most of it they waited for the engine thread."""

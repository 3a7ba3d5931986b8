"""The error tree: what happened, whose fault it is, what to do now.

```
StreamsError                 everything Penstock raises
├── TopologyError            the program cannot be built; raised where it is written
├── ConfigError              a setting is unknown or has a value it cannot have
├── SerializationError       bytes that are no value, or a value that has no bytes
├── ProcessingError          a record or a timer failed and its handler chose to fail
├── ProductionError          Kafka refuses a record: what production handlers are asked about
├── QueryError               a query cannot be answered as it was asked
│   └── StoreNotReadyError   a task restores, moves or is busy: ask again in a moment
└── StateError               local state cannot be used: a person must look
    ├── StateLockedError     another worker has it: wait for the handover, or give up the task
    ├── StateCorruptedError  it cannot be read back: remove it and restore it from the changelog
    ├── StateUnreadableError its serde cannot read what it holds: the type has changed
    └── StateClosedError     it is not here any more: a query must ask who has it now
```

Messages say: subject, place, expectation; what was got; what to do. The text is not API,
the class and the attributes are.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import threading
import traceback
from pathlib import Path
from types import AsyncGeneratorType, CoroutineType, FrameType, GeneratorType
from typing import TypeVar

__all__ = [
    "ConfigError",
    "ProcessingError",
    "ProductionError",
    "QueryError",
    "SerializationError",
    "StateClosedError",
    "StateCorruptedError",
    "StateError",
    "StateLockedError",
    "StateUnreadableError",
    "StoreNotReadyError",
    "StreamsError",
    "TopologyError",
]

E = TypeVar("E", bound=Exception)

_PACKAGE = __name__.partition(".")[0]
_LIBRARIES = tuple({sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")})


class StreamsError(Exception):
    """Anything Penstock raises. Java: StreamsException.

    >>> try:
    ...     Record("ann", 5, timestamp=-1)
    ... except StreamsError as error:
    ...     print(error)
    a record's timestamp must not be negative; got -1
    """


class TopologyError(StreamsError):
    """The program cannot be built as written; the message ends with the user's file:line.

    Java: TopologyException, and the NullPointerException and IllegalArgumentException of its
    builders.

    >>> try:
    ...     orders.map_values("upper")
    ... except TopologyError as error:
    ...     print(error.message)
    map_values' mapper must be a function; got 'upper'
    """

    def __init__(self, message: str, location: str | None = None) -> None:
        self.message = message
        self.location = location or user_location()
        super().__init__(f"{message} (at {self.location})" if self.location else message)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.location)


class ConfigError(StreamsError):
    """A setting is unknown or has a value it cannot have. Java: ConfigException.

    >>> try:
    ...     StreamsConfig({"application.id": "shop", "commit.intervall.ms": 100})
    ... except ConfigError as error:
    ...     print(error)
    setting 'commit.intervall.ms' is not known; did you mean 'commit.interval.ms'? (settings
     of your own start with 'app.')
    """


class SerializationError(StreamsError):
    """Bytes that cannot be read, or a value that cannot be written. Java:
    SerializationException.

    >>> try:
    ...     number.decode(b"eleven")
    ... except SerializationError as error:
    ...     print(error)
    cannot read integer: expected 4 bytes, got 6: 65 6c 65 76 65 6e; was the topic written as
     integer?
    """


class ProcessingError(StreamsError):
    """A record or a timer failed in a node, and its handler chose to fail.

    The cause (`__cause__`) is the exception of the user's function; the attributes say where it
    happened: task, node, and topic, partition and offset of the record (None, -1, -1 in a timer).

    >>> try:
    ...     show(orders.map_values(lambda amount: amount / 0))
    ... except ProcessingError as error:
    ...     print(error.topic, error.offset, repr(error.__cause__))
    orders 0 ZeroDivisionError('division by zero')
    """

    settled = True
    """Whether a handler has decided; if not, the next node above asks its own. Of use to the engine
    only.
    """

    def __init__(
        self,
        message: str,
        *,
        task_id: str,
        node: str,
        topic: str | None = None,
        partition: int = -1,
        offset: int = -1,
    ) -> None:
        super().__init__(message)
        self.task_id = task_id
        self.node = node
        self.topic = topic
        self.partition = partition
        self.offset = offset

    def __reduce__(self) -> tuple[object, ...]:
        make = functools.partial(type(self), task_id=self.task_id, node=self.node)
        return make, self.args, self.__dict__


class ProductionError(StreamsError):
    """Kafka refuses a record: what `ProductionExceptionHandler.handle_error` is given.

    `topic` is where it was to go, `code` is Kafka's name of the error, such as MSG_SIZE_TOO_LARGE,
    INVALID_RECORD or INVALID_TIMESTAMP. Java: RecordTooLargeException, InvalidRecordException, ...

    >>> from penstock.errors import ProductionError
    >>> ProductionError("too large", topic="orders", code="MSG_SIZE_TOO_LARGE").code
    'MSG_SIZE_TOO_LARGE'
    """

    retriable = False
    """Faults that may pass are tried again and not given to handlers."""

    def __init__(self, message: str, *, topic: str, code: str) -> None:
        super().__init__(message)
        self.topic = topic
        self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        make = functools.partial(type(self), topic=self.topic, code=self.code)
        return make, self.args, self.__dict__


class QueryError(StreamsError):
    """A query cannot be answered as it was asked: no such store, another kind of store, a key that
    its serde does not take. Java: UnknownStateStoreException, InvalidStateStoreException.

    >>> from penstock.errors import QueryError
    >>> from penstock.queries import WindowRangeQuery
    >>> try:
    ...     WindowRangeQuery("ann", time_from=0, time_to=60_000)
    ... except QueryError:
    ...     print("a key or two times")
    a key or two times
    """


class StoreNotReadyError(QueryError):
    """A task of the store restores, moves or is busy. `restore_remaining` says how many changelog
    records are left to be read. Java: InvalidStateStoreException.

    >>> from penstock.errors import StoreNotReadyError
    >>> StoreNotReadyError("task 0_1 is being restored", restore_remaining=7).restore_remaining
    7
    """

    def __init__(self, message: str, restore_remaining: int = 0) -> None:
        super().__init__(message)
        self.restore_remaining = restore_remaining


class StateError(StreamsError):
    """Local state cannot be opened, read or written; `path` is where it lies. Java:
    ProcessorStateException.

    >>> from pathlib import Path
    >>> from penstock.errors import StateError
    >>> StateError("cannot be opened", Path("state")).path.name
    'state'
    """

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class StateLockedError(StateError):
    """Another process or thread holds this state. Java: LockException.

    >>> from penstock.errors import StateError, StateLockedError
    >>> issubclass(StateLockedError, StateError)
    True
    """


class StateCorruptedError(StateError):
    """Local state is damaged; only the changelog can restore it. `said` is what the store's
    engine said. Java: TaskCorruptedException.

    >>> from penstock.errors import StateCorruptedError
    >>> StateCorruptedError("store 'counts' is damaged", said="checksum mismatch").said
    'checksum mismatch'
    """

    def __init__(self, message: str, path: Path | None = None, said: str = "") -> None:
        super().__init__(message, path)
        self.said = said or message


class StateUnreadableError(StateError):
    """The serde of a store cannot read what the application has stored there: most often the type
    has changed. No exception handler may pass over it, and no other worker can read it.

    Java: none, the processing handler is asked about a SerializationException of a store.

    >>> from penstock.errors import StateError, StateUnreadableError
    >>> issubclass(StateUnreadableError, StateError)
    True
    """


class StateClosedError(StateError):
    """A store was used after it was closed. Java: InvalidStateStoreException.

    >>> from penstock.errors import StateClosedError, StateError
    >>> issubclass(StateClosedError, StateError)
    True
    """


def state_failure(error: BaseException | None) -> StateError | None:
    """Return the failure of local state that `error` is or comes from, None if there is none.

    A store that was used after its end is not one: that is a mistake of the program.
    """
    while error is not None:
        if isinstance(error, StateError) and not isinstance(error, StateClosedError):
            return error
        error = error.__cause__ or error.__context__
    return None


def text_of(error: BaseException) -> str:
    """Return the text of an exception, also of one that fails to say it, since a class of the user
    may raise in `__str__`; and one that can be encoded, lone surrogates as `\\ud83d`.
    """
    try:
        return str(error).encode(errors="backslashreplace").decode()
    except BaseException as failure:  # it is asked for where a failure must be told
        return f"<no text: its __str__ raised {type(failure).__name__}>"


def undone_work(returned: object) -> str | None:
    """Return what to say of a value that is work which nothing will do, None of any other value.

    What an async function or a generator function returns is such work, and a lambda or a decorator
    may hand it on.
    """
    if not isinstance(returned, CoroutineType | GeneratorType | AsyncGeneratorType):
        return None
    kind = type(returned).__name__
    code = getattr(returned, {"coroutine": "cr_code", "generator": "gi_code"}.get(kind, "ag_code"))
    if isinstance(returned, CoroutineType):
        returned.close()  # or Python warns that it was never awaited
    return (
        f"a {kind}, of {code.co_name} at {code.co_filename}:{code.co_firstlineno}, so it has done "
        "nothing; write it with def, without yield, and let its decorators call it"
    )


def user_location() -> str | None:
    """Return `file:line` of the nearest caller outside this package, or None if there is none.

    A thread of ours has no such caller: below it is only the standard library.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    if frame is not None and frame.f_code.co_filename == threading.__file__:
        return None
    return None if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def failure_location(error: BaseException) -> str | None:
    """Return `file:line` where the user's code failed, or None if it was not there.

    That is the innermost frame of `error` outside this package and the installed libraries; if the
    function was a library's own, the place where it was entered.
    """
    places = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not _is_ours(frame)
    ]
    own = [place for place in places if not place[0].startswith(_LIBRARIES)]
    file, line = own[-1] if own else places[0] if places else (None, 0)
    return None if file is None else f"{file}:{line}"


def user_function(frame: FrameType | None) -> str | None:
    """Return the name and the place of the user's function that runs in `frame`, or None.

    That is the innermost function outside this package and the installed libraries, at the line
    where it is now; if the function is a library's own, the outermost one of it.
    """
    frames: list[FrameType] = []
    while frame is not None and frame.f_code.co_filename != threading.__file__:
        if not _is_ours(frame):
            frames.append(frame)
        elif frames:
            break  # the frames below have called this package
        frame = frame.f_back
    own = [each for each in frames if not each.f_code.co_filename.startswith(_LIBRARIES)]
    found = own[0] if own else frames[-1] if frames else None
    if found is None:
        return None
    code = found.f_code
    return f"{code.co_qualname!r} ({code.co_filename}:{found.f_lineno})"


def user_traceback(error: BaseException) -> str:
    """Return the traceback of the cause of `error`, without the frames of this package; empty if
    no others are in it.
    """
    while error.__cause__ is not None:
        error = error.__cause__
    frames = [
        place
        for place in traceback.walk_tb(error.__traceback__)
        # runpy is how `penstock run` runs a program.
        if not _is_ours(place[0]) and place[0].f_globals.get("__name__") != "runpy"
    ]
    if isinstance(error, SyntaxError):  # it says its line itself
        return "".join(traceback.format_exception_only(error)).rstrip()
    if not frames:
        return ""
    stack = traceback.StackSummary.extract(iter(frames))
    lines = [*stack.format(), *traceback.format_exception_only(error)]
    return "Traceback (most recent call last):\n" + "".join(lines).rstrip()


def _is_ours(frame: FrameType) -> bool:
    # By module, not by file: the __init__ that a dataclass is given has no file.
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE


def without_internal_frames(error: E) -> E:
    """Return an error as a program shall show it that does not start: its sentence, below the line
    of the program. `PENSTOCK_TRACEBACK=1` keeps the way through Penstock, and the cause.
    """
    if os.environ.get("PENSTOCK_TRACEBACK", "") not in {"", "0"}:
        return error
    error.__cause__, error.__suppress_context__ = None, True
    return error.with_traceback(None)

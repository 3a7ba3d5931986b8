"""The error tree: what happened, whose fault it is, what to do now.

```
StreamsError                 everything Penstock raises
├── TopologyError            the program cannot be built; raised where it is written
├── ConfigError              a setting is unknown or has a value it cannot have
├── SerializationError       bytes that are no value, or a value that has no bytes
└── ProcessingError          a record or a timer failed and its handler chose to fail
```

Messages say: subject, place, expectation; what was got; what to do. The text is not API,
the class and the attributes are.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from types import CodeType

_PACKAGE = str(Path(__file__).parent)


class StreamsError(Exception):
    """Anything Penstock raises. Java: StreamsException."""


class TopologyError(StreamsError):
    """The program cannot be built as written; the message ends with the user's file:line.

    Java: TopologyException, and the NullPointerException and IllegalArgumentException of its
    builders.
    """

    def __init__(self, message: str) -> None:
        self.location = user_location()
        super().__init__(f"{message} (at {self.location})" if self.location else message)


class ConfigError(StreamsError):
    """A setting is unknown or has a value it cannot have. Java: ConfigException."""


class SerializationError(StreamsError):
    """Bytes that cannot be read, or a value that cannot be written. Java: "
    "SerializationException."""


class ProcessingError(StreamsError):
    """A record or a timer failed in a node, and its handler chose to fail.

    The cause (`__cause__`) is the exception of the user's function; the attributes say where it
    happened.
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


def user_location() -> str | None:
    """Give `file:line` of the nearest caller outside this package, or None if there is none."""
    frame = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def failure_location(error: BaseException) -> str | None:
    """Give `file:line` of the innermost frame of `error` that is not ours: where the user's code
    failed.
    """
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if not _is_ours(frame.f_code):
            return f"{frame.f_code.co_filename}:{line}"
    return None


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(_PACKAGE)

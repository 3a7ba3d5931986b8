"""What can go wrong with local state, told apart by what the host does about it.

```
StateError                   the disk refused, or the directory is not ours: a person must look
├── StateLockedError         somebody else has it: wait for the handover, or give up the task
├── StateCorruptedError      it cannot be read back: remove it and restore it from the changelog
└── StateClosedError         it is not here any more: a query must ask who has it now
```
"""

from __future__ import annotations

from pathlib import Path

from penstock.errors import StreamsError


class StateError(StreamsError):
    """Local state cannot be opened, read or written; `path` is where it lies. Java:
    ProcessorStateException.
    """

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class StateLockedError(StateError):
    """Another process or thread holds this state. Java: LockException."""


class StateCorruptedError(StateError):
    """Local state is damaged; only the changelog can give it back. Java: TaskCorruptedException."""


class StateClosedError(StateError):
    """A store was used after it was closed. Java: InvalidStateStoreException."""

"""Translates RocksDB's errors: what happened to which directory, and what to do.

The binding raises plain exceptions with RocksDB's status as text, so they are distinguished by
their words.
"""

from __future__ import annotations

from pathlib import Path

from penstock._engine.state.files.open_files import TOO_MANY_FILES, too_many_files
from penstock.errors import StateCorruptedError, StateError, StateLockedError


def explained(error: Exception, path: Path, participle: str) -> StateError:
    """Return the error to raise for RocksDB's error when the store should be `participle`."""
    said = str(error)
    if "lock hold by current process" in said:
        msg = (
            f"the state store in {path} cannot be {participle}: this process has it open already;"
            f" close it there first"
        )
        return StateLockedError(msg, path)
    if "While lock file" in said:
        msg = (
            f"the state store in {path} cannot be {participle}: another process has it open;"
            f" stop that process, or give this one a 'state.dir' of its own"
        )
        return StateLockedError(msg, path)
    if "Column families not opened" in said:
        msg = (
            f"the state store in {path} cannot be {participle}: another program has written it"
            f" ({said}); give this application a 'state.dir' of its own"
        )
        return StateError(msg, path)
    if TOO_MANY_FILES in said:
        msg = f"the state store in {path} cannot be {participle}: {too_many_files()}"
        return StateError(msg, path)
    if said.startswith("Corruption") or "No such file or directory" in said:
        msg = (
            f"the state store in {path} cannot be {participle}: its files are damaged ({said});"
            f" delete that directory, the store is then restored from its changelog"
        )
        return StateCorruptedError(msg, path, said)
    msg = (
        f"the state store in {path} cannot be {participle}: {said};"
        f" check the disk's free space, its health and the directory's permissions"
    )
    return StateError(msg, path)

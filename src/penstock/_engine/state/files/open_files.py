"""How many files this process may have open, and how many its stores on disk need.

A RocksDB database has seven files open from the start, and one for each of its tables.
"""

from __future__ import annotations

import os
import resource
from typing import Final

TOO_MANY_FILES: Final = "Too many open files"
"""The system's message, which RocksDB repeats."""

_FILES_OF_STORE = 12
_FILES_OF_WORKER = 150
"""Kafka clients, Spark's connections, modules and the interpreter's own."""

_REMEDY = (
    "raise the limit ('ulimit -n 65536' before the start, or LimitNOFILE= of a service; for all"
    " workers of a cluster where their executors start), use more workers, or set"
    " max_open_files in 'rocksdb.config.setter'"
)


def too_many_files() -> str:
    """Return the message that no more files can be opened, with the limit and what to do."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        f"too many open files: this process may have {_shown(soft)} open ('ulimit -n'; at most"
        f" {_shown(hard)} without more rights), and each store on disk takes 7 to begin with and"
        f" more as it grows; {_REMEDY}"
    )


def files_needed(store_count: int) -> int:
    """Return about how many files a worker with so many stores on disk has open."""
    return _FILES_OF_WORKER + store_count * _FILES_OF_STORE


def raise_limit(needed: int) -> None:
    """Raise this process's limit of open files to `needed`, or to the hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    wanted = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def shortage(store_count: int) -> str | None:
    """Return the warning that so many stores may need more files than this process may open, None
    if they do not.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = files_needed(store_count)
    if soft == resource.RLIM_INFINITY or needed <= soft:
        return None
    return (
        f"{store_count} stores on disk may need {needed} open files, but this process (pid"
        f" {os.getpid()}) may have {soft} ('ulimit -n'); {_REMEDY}"
    )


def _shown(limit: int) -> str:
    return "any number" if limit == resource.RLIM_INFINITY else str(limit)

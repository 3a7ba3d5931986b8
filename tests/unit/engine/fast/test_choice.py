"""C or Python: chosen once, by one variable, in one place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from penstock._engine.fast.choice import SWITCH, compiled

ROOT = Path(__file__).parents[4]

FORMS = """
from penstock._engine.fast import choice
from penstock._engine.kafka.client.bulk import open_writer
from penstock._engine.runtime.input.partition_run import process_run
from penstock._engine.operators.joins.foreign_key_hash import hash_of
from penstock._engine.runtime.input.record_queue import QueueFields, RecordQueue
from penstock._engine.runtime.output.murmur2 import partition_of
from penstock._engine.runtime.output.row_sender import RowSender
from penstock._engine.runtime.position import Position, PositionFields, RawScope, ScopeFields
from penstock._engine.state.cache.entries import CacheBudget, Entries
from penstock._engine.state.cache.flush import flush_puts
from penstock._engine.state.segments.recent_rows import KnownRows, Tail, note
from penstock._engine.state.segments.rows import ClockFields, RowClock, RowFields, Rows, of_key

writer = open_writer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
forms = [type(writer), process_run, partition_of, CacheBudget, Entries, RowSender, flush_puts]
forms += [hash_of, KnownRows, Tail, note, of_key]
heirs = [Position, RawScope, RecordQueue, RowClock, Rows]
assert [one.__base__ for one in heirs] == [
    PositionFields, ScopeFields, QueueFields, ClockFields, RowFields
]
forms += [one.__base__ for one in heirs]
names = [getattr(form, "__wrapped__", form).__qualname__ for form in forms]
print(choice.state(), *names, sep="\\n")
"""
IN_PYTHON = [
    "PlainWriter",
    "process_plainly",
    "plain_partition_of",
    "PlainBudget",
    "PlainEntries",
    "PlainRowSender",
    "flush_puts_plainly",
    "plain_hash_of",
    "PlainKnownRows",
    "PlainTail",
    "RecentRows.note",
    "Rows.of_key",
    "PlainPositionFields",
    "PlainScopeFields",
    "PlainQueueFields",
    "PlainClockFields",
    "PlainRowFields",
]
IN_C = [
    "CompiledWriter",
    "PartitionRun.process",
    "partition_of",
    "CacheBudget",
    "Entries",
    "RowSender",
    "flush_puts",
    "hash_of",
    "KnownRows",
    "Tail",
    "note_row",
    "rows_of_key",
    "PositionFields",
    "ScopeFields",
    "QueueFields",
    "ClockFields",
    "RowFields",
]

DRIVEN = (
    "tests/unit/engine/fast/test_adversarial.py",
    "tests/unit/engine/runtime/test_task.py",
    "tests/unit/engine/runtime/output/test_sink.py",
    "tests/unit/engine/state/cache/test_record_cache.py",
    "tests/unit/engine/state/segments/test_row_cache.py",
    "tests/operators/test_aggregate.py",
    "tests/operators/test_session.py",
    "tests/operators/test_stream_join.py",
)
"""Tests whose records go through all that is in C. Tests of one part run on both of its forms."""


def python(*arguments: str, switch: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != SWITCH}
    if switch is not None:
        environment[SWITCH] = switch
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_switch_chooses_every_form() -> None:
    off = python("-c", FORMS, switch="1").stdout.splitlines()
    assert off == ["switched off", *IN_PYTHON]


@pytest.mark.slow
@pytest.mark.parametrize("switch", [None, "", "0"])
@pytest.mark.skipif(compiled is None, reason="nothing is compiled")
def test_without_the_switch_every_form_is_in_c(switch: str | None) -> None:
    on = python("-c", FORMS, switch=switch).stdout.splitlines()
    assert on == ["used", *IN_C]


@pytest.mark.slow
@pytest.mark.skipif(compiled is None, reason="then all tests run without it")
def test_what_touches_c_passes_without_it() -> None:
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")
    run = python("-m", "pytest", *quiet, *DRIVEN, switch="1")
    assert run.returncode == 0, run.stdout[-4000:]

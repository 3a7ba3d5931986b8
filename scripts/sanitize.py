"""Runs the tests of the parts in C under AddressSanitizer and UndefinedBehaviorSanitizer.

Usage: python -m scripts.sanitize [--short]. A copy of the package in build/sanitize has `_fast`
compiled with both and with the asserts of Python's headers; the tests import that one. `--short`
tries fewer examples and needs no broker: it is part of `.ci/run`. Ends with 3 where this machine
cannot do it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from hatch_build import MODULE, SOURCES, compile_module

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "sanitize"
FAST = Path("penstock", "_engine", "fast")

CANNOT = 3

SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# The asserts of Python's headers find wrong types and indexes.
FLAGS = (*SANITIZERS, "-UNDEBUG", "-O1", "-g", "-fno-omit-frame-pointer")

# Brokers and other processes that tests start are not sanitized.
RUN = """
import os, sys, pytest
del os.environ["LD_PRELOAD"], os.environ["PYTHONPATH"], os.environ["PYTHONMALLOC"]
sys.exit(pytest.main(sys.argv[1:]))
"""

ASAN_OPTIONS = (
    "detect_leaks=0",  # Python keeps objects until it ends
    "allocator_may_return_null=1",
    # Python itself is not sanitized: what it reads of a freed object must differ.
    "max_free_fill_size=4096",
    "free_fill_byte=221",
)

UNIT = "tests/unit/engine"
TESTS = (
    f"{UNIT}/fast/test_adversarial.py",
    f"{UNIT}/fast/test_arguments.py",
    f"{UNIT}/fast/test_fields.py",
    f"{UNIT}/operators/joins/test_foreign_key_hash.py",
    f"{UNIT}/runtime/input/test_partition_run.py",
    f"{UNIT}/runtime/output/test_murmur2.py",
    f"{UNIT}/runtime/output/test_row_sender.py",
    f"{UNIT}/runtime/output/test_sink.py",
    f"{UNIT}/runtime/test_sizes.py",
    f"{UNIT}/spark/batch/tasks/test_arrow_records.py",
    f"{UNIT}/spark/batch/tasks/test_record_columns.py",
    f"{UNIT}/state/cache",
    "tests/unit/serdes/test_lost_floats.py",
)
LONG_TESTS = (
    f"{UNIT}/state/segments/test_recent_rows.py",
    f"{UNIT}/state/segments/test_rows.py",
    "tests/broker/test_bulk.py",
)


def main(arguments: Sequence[str]) -> int:
    """Build the copy and run the tests on it; return 0 if all pass."""
    short = "--short" in arguments
    runtimes = find_runtimes()
    if runtimes is None:
        print("sanitize: nothing was checked: gcc, its sanitizers or Python's headers are not here")
        print("sanitize: (on Debian and Ubuntu: apt-get install gcc python3-dev)")
        return CANNOT
    build()
    environment = environment_with(runtimes)
    check_that_it_is_used(environment)
    if short:
        return run_tests("short", TESTS, environment)
    return run_tests("suite", (*TESTS, *LONG_TESTS), environment) or run_tests(
        "wide", TESTS[:1], environment
    )


def run_tests(profile: str, tests: Sequence[str], environment: dict[str, str]) -> int:
    """Run tests with so many examples as Hypothesis' `profile` says; return 0 if all pass."""
    # Output is captured in Python: a report of the sanitizers goes to the terminal.
    quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--capture=sys"]
    command = [sys.executable, "-c", RUN, *quiet, f"--hypothesis-profile={profile}", *tests]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def find_runtimes() -> list[str] | None:
    """Return the libraries that a process must load first, None if this machine has none."""
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    if not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        return None
    found = []
    for name in ("libasan.so", "libubsan.so"):
        try:
            printed = subprocess.run(
                [*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
            ).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return None
        if not Path(printed).is_absolute():  # the compiler knows no such file
            return None
        found.append(printed)
    return found


def build() -> None:
    """Copy the package, with a sanitized `_fast`."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    left_out = shutil.ignore_patterns("*.so", "*.c", "*.h", "__pycache__")
    shutil.copytree(ROOT / "src", FOLDER, ignore=left_out)
    sources = [ROOT / source for source in SOURCES]
    if compile_module(FOLDER / FAST / MODULE.name, sources, *FLAGS) is None:
        sys.exit("sanitize: the parts in C cannot be compiled with sanitizers")


def environment_with(runtimes: Sequence[str]) -> dict[str, str]:
    """Return the environment of the tests: each object is an allocation that is watched."""
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(runtimes),
        "ASAN_OPTIONS": ":".join(ASAN_OPTIONS),
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(FOLDER),
        "PENSTOCK_NO_C": "",
    }


def check_that_it_is_used(environment: dict[str, str]) -> None:
    """End if the tests would not use the sanitized module."""
    asked = "from penstock._engine.fast.choice import compiled; print(compiled.__file__)"
    command = [sys.executable, "-c", asked]
    answer = subprocess.run(
        command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    if answer.returncode or not answer.stdout.startswith(str(FOLDER)):
        sys.exit(f"sanitize: the tests would use {answer.stdout.strip() or 'nothing'}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

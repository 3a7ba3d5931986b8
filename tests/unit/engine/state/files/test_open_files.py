"""Too few file descriptors are named as such, and the limit is raised where that is allowed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from penstock._engine.kafka.tasks.task_host import OpenFiles
from penstock._engine.state.files.open_files import files_needed, shortage


def in_process_with(soft: int, hard: int, program: str, path: Path) -> dict[str, object]:
    """Run a program that prints JSON in a process that may open so many files."""
    before = f"import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
    command = [sys.executable, "-c", before + program, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


@pytest.mark.slow
def test_a_store_that_needs_more_files_than_allowed_says_so_and_is_no_damage(
    tmp_path: Path,
) -> None:
    program = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from penstock._engine.state.rocksdb.key_value import RocksDbStore\n"
        "stores = []\n"
        "try:\n"
        "    for number in range(50): stores.append(RocksDbStore(Path(sys.argv[1], str(number))))\n"
        "except Exception as error:\n"
        "    said = [type(error).__name__, str(error)]\n"
        "print(json.dumps({'said': said, 'opened': len(stores)}))\n"
    )
    answer = in_process_with(64, 100, program, tmp_path)
    said = answer["said"]
    assert isinstance(said, list)
    kind, text = said
    assert kind == "StateError"
    assert "too many open files: this process may have 64 open ('ulimit -n'; at most 100" in text
    assert "raise the limit" in text
    assert "max_open_files" in text


@pytest.mark.slow
def test_a_directory_that_cannot_be_locked_for_want_of_files_says_so(tmp_path: Path) -> None:
    program = (
        "import json, os, sys\n"
        "from penstock._engine.state.files.directory import StateDirectory\n"
        "StateDirectory(sys.argv[1], 'app').lock_task('0_0').release()\n"
        "try:\n"
        "    while True: os.open('/dev/null', os.O_RDONLY)\n"
        "except OSError: pass\n"
        "try: StateDirectory(sys.argv[1], 'app').lock_task('0_0')\n"
        "except Exception as error: said = str(error)\n"
        "print(json.dumps({'said': said}))\n"
    )
    assert "too many open files: this process may have 64" in str(
        in_process_with(64, 64, program, tmp_path)["said"]
    )


@pytest.mark.slow
def test_the_limit_is_raised_as_far_as_needed_and_allowed(tmp_path: Path) -> None:
    program = (
        "import json, resource\n"
        "from penstock._engine.state.files.open_files import raise_limit\n"
        "def raised(needed):\n"
        "    raise_limit(needed)\n"
        "    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]\n"
        "print(json.dumps({'limits': [raised(n) for n in (10, 150, 9999)]}))\n"
    )
    assert in_process_with(100, 200, program, tmp_path) == {"limits": [100, 150, 200]}


def test_a_shortage_is_told_with_what_is_needed() -> None:
    assert shortage(1) is None
    said = shortage(10_000_000)
    assert said is not None
    assert f"10000000 stores on disk may need {files_needed(10_000_000)} open files" in said


def test_a_worker_warns_once_when_its_stores_may_need_more_files_than_it_may_open(
    caplog: pytest.LogCaptureFixture,
) -> None:
    files = OpenFiles(0)
    files.add("0_0", 10)
    assert caplog.records == []
    files.add("0_1", 10_000_000)
    files.add("0_2", 10_000_000)
    [told] = caplog.records
    assert "too few open files are allowed: 10000010 stores on disk may need" in told.message
    files.remove("0_1")

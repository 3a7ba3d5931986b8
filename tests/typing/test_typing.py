"""Types, as users' editors see them: mypy and pyright agree about right and wrong programs.

`well_typed.py` must have no error, `ill_typed.py` one in each line marked `# wrong` and no other.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock import Topology

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
WELL_TYPED, ILL_TYPED = HERE / "well_typed.py", HERE / "ill_typed.py"

Errors = dict[Path, dict[int, str]]
"""The first message of each line that a checker complains about, by file."""


def mypy() -> Errors:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-pretty"]
    done = subprocess.run(
        [*command, str(WELL_TYPED), str(ILL_TYPED)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    errors: Errors = {}
    for file, line, message in re.findall(r"^(.+?):(\d+): error: (.*)$", done.stdout, re.M):
        errors.setdefault((ROOT / file).resolve(), {}).setdefault(int(line), message)
    return errors


def pyright(work: Path) -> Errors:
    config = work / "pyrightconfig.json"
    files = [str(WELL_TYPED), str(ILL_TYPED)]
    config.write_text(
        json.dumps({"include": files, "typeCheckingMode": "strict", "pythonVersion": "3.11"})
    )
    command = [str(Path(sys.executable).parent / "basedpyright"), "--outputjson"]
    done = subprocess.run(
        [*command, "--project", str(config), "--pythonpath", sys.executable],
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    errors: Errors = {}
    for found in json.loads(done.stdout)["generalDiagnostics"]:
        if found["severity"] == "error":
            line = found["range"]["start"]["line"] + 1
            lines = errors.setdefault(Path(found["file"]).resolve(), {})
            lines.setdefault(line, found["message"])
    return errors


def marked_lines() -> set[int]:
    lines = ILL_TYPED.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_right_programs_pass_and_wrong_lines_do_not(checker: str, tmp_path: Path) -> None:
    check: Callable[[], Errors] = mypy if checker == "mypy" else lambda: pyright(tmp_path)
    errors = check()
    assert errors.get(WELL_TYPED, {}) == {}
    assert marked_lines() == set(errors.get(ILL_TYPED, {})), errors.get(ILL_TYPED)


def test_there_are_many_wrong_lines() -> None:
    assert len(marked_lines()) >= 35


def test_the_right_program_also_runs() -> None:
    """What the checkers saw is no fiction."""
    program = importlib.import_module("tests.typing.well_typed")
    assert isinstance(program.topology, Topology)

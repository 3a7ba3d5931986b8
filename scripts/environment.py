"""Makes the project's virtual environment: the packages of a lock file, then the project itself.

Usage: environment.py FOLDER LOCK. What pip says goes to FOLDER/setup.log; a person sees the
progress, and one sentence if it fails. Running it again is safe: pip changes only what differs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parent.parent

# What pip prints when its index does not answer, or when it was told not to ask one.
_UNREACHABLE = re.compile(
    r"NewConnectionError|Failed to establish a new connection|connection broken by"
    r"|ConnectTimeoutError|ReadTimeoutError|Cannot connect to proxy"
    r"|Temporary failure in name resolution|\(from versions: none\)|No matching distribution found",
    re.IGNORECASE,
)

# From ten megabytes on a person should know what is taking so long.
_LARGE_DOWNLOAD = re.compile(
    r"\s+Downloading (?P<file>[^\s/]+) \((?P<megabytes>\d{2,})(\.\d+)? MB\)"
)


class SetupError(Exception):
    """Why the environment cannot be made, and what to do."""


def main(arguments: Sequence[str]) -> int:
    """Fill the environment; return 0 if it is ready."""
    folder, lock = Path(arguments[0]), Path(arguments[1])
    try:
        make(folder, lock)
    except SetupError as error:
        print(f"\npenstock: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\npenstock: interrupted; run it again to go on", file=sys.stderr)
        return 130
    return 0


def make(folder: Path, lock: Path) -> None:
    """Make the environment in `folder` if it is not there, and bring it to the state of `lock`."""
    print(f"setting up {folder} from {lock} (a minute or two the first time)", flush=True)
    python = folder.resolve() / "bin" / "python"
    if not _runs(python):
        # Not there, or left over from a Python that has been removed since.
        venv.create(folder, clear=True, with_pip=True)
    log = folder / "setup.log"
    with log.open("w", encoding="utf-8") as output:
        # Compiling every module takes longer than all of its first imports.
        install = [
            str(python),
            "-m",
            "pip",
            "install",
            "--no-compile",
            "--disable-pip-version-check",
        ]
        packages = [
            *install,
            "--retries=2",
            "--progress-bar=off",
            "--require-hashes",
            f"--requirement={lock}",
        ]
        code = _run(packages, output, total=_count(lock))
        if code == 0:
            project = [
                *install,
                "--no-deps",
                "--no-build-isolation",
                "--no-index",
                "--editable",
                str(ROOT),
            ]
            code = _run(project, output, total=0)
    if code != 0:
        raise SetupError(explain(log))
    print(f"{folder} is ready", flush=True)


def _runs(python: Path) -> bool:
    try:
        return (
            subprocess.run(
                [str(python), "-m", "pip", "--version"], capture_output=True, check=False
            ).returncode
            == 0
        )
    except OSError:
        return False


def _count(lock: Path) -> int:
    return sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())


def _run(command: Sequence[str], log: TextIO, *, total: int) -> int:
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    with process.stdout as lines:
        for text in progress(lines, log, total):
            print(text, flush=True)
    return process.wait()


def progress(lines: Iterable[str], log: TextIO, total: int) -> Iterator[str]:
    """Copy pip's output to the log and yield what a person wants to see of it."""
    seen = 0
    for line in lines:
        log.write(line)
        if line.startswith("Collecting "):
            seen += 1
            if seen % 10 == 0:
                yield f"  {seen} of {total} packages"
        elif large := _LARGE_DOWNLOAD.match(line):
            yield f"  downloading {large['file']} ({large['megabytes']} MB)"
        elif total and line.startswith("Installing collected packages"):
            yield "  installing"


def explain(log: Path) -> str:
    """Turn what pip wrote into a sentence for a person."""
    if _UNREACHABLE.search(log.read_text(encoding="utf-8")):
        return (
            "the Python packages cannot be downloaded because the package index does not answer; "
            f"check the network, the proxy and pip's settings, then run it again (details: {log})"
        )
    return f"the Python packages cannot be installed; pip's reasons are in {log}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

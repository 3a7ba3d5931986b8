"""A contender's processes: started, watched, ended; memory and processor time of them all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_TICKS = os.sysconf("SC_CLK_TCK")

PARTS: Final = ("driver", "jvm", "workers")
"""The first process, Java below it, and what else is below it."""


class ContenderError(RuntimeError):
    """A contender ended or came to nothing; the text has the end of its log."""


class Running:
    """A started contender, in a process group of its own."""

    def __init__(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str], folder: Path
    ) -> None:
        self.log = log
        self.started = time.monotonic()
        self.memory_mb = 0.0
        self.memory_by_part_mb = dict.fromkeys(PARTS, 0.0)
        """Each at its highest."""
        self.processor_seconds = 0.0
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **environment},
                cwd=folder,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Return the number of its first process."""
        return self._process.pid

    def watch(self) -> None:
        """Note what it uses; fail if it is gone."""
        if self.ended():
            raise ContenderError(self.tale(f"ended with exit code {self._process.returncode}"))
        self.note_use()

    def note_use(self) -> None:
        """Note memory (the highest seen) and processor time (the last seen)."""
        family = tree(self._process.pid)
        parts = dict.fromkeys(PARTS, 0.0)
        for pid in family:
            below = "jvm" if _program(pid) == "java" else "workers"
            parts["driver" if pid == self._process.pid else below] += _resident_mb(pid)
        for part, used in parts.items():
            self.memory_by_part_mb[part] = max(self.memory_by_part_mb[part], used)
        self.memory_mb = max(self.memory_mb, sum(parts.values()))
        self.processor_seconds = max(self.processor_seconds, sum(map(processor_seconds, family)))

    def ended(self) -> bool:
        """Return whether it has ended."""
        return self._process.poll() is not None

    def told(self) -> dict[str, Any]:
        """Return the JSON document that it has printed at its end.

        Raises:
            ContenderError: it failed, or printed none.
        """
        text = self.log.read_text(errors="replace")
        start = 0 if text.startswith("{") else text.rfind("\n{") + 1
        if self._process.returncode or not text[start:].startswith("{"):
            raise ContenderError(self.tale(f"ended with exit code {self._process.returncode}"))
        document: dict[str, Any] = json.JSONDecoder().raw_decode(text, start)[0]
        return document

    def tale(self, trouble: str) -> str:
        """Return an error with the last lines of the log."""
        lines = self.log.read_text(errors="replace").splitlines()[-6:]
        return f"{trouble}; the end of its log ({self.log}):\n    " + "\n    ".join(lines)

    def stop(self) -> None:
        """Ask it to end; kill what is left of its group after a while."""
        family = tree(self._process.pid)
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for pid in family:
            _kill(pid, self._process.pid)


def tree(root: int) -> list[int]:
    """Return a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo.extend(children.get(pid, ()))
    return found


def _kill(pid: int, group: int) -> None:
    # The group is asked for first: another process may have got the number.
    try:
        if os.getpgid(pid) == group or os.getsid(pid) == group:
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return ""


def _resident_mb(pid: int) -> float:
    """Return a process's share of memory: pages that several use are divided among them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def processor_seconds(pid: int) -> float:
    """Return the processor time that a process has used; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS

"""SIGKILL at any moment: what `write` returned from is there, and nothing is there by halves."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from tests.stores.committer import commit, open_engine
from tests.stores.engines import engine_names

PROJECT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow

NAMES = engine_names(lasting=True)
SEEDS = {"redis": [2]}
"""Redis does not do its work in the process that is killed: once is enough."""


class Committer:
    """The process that commits, and what it has said."""

    def __init__(self, name: str, path: Path) -> None:
        command = [sys.executable, "-m", "tests.stores.committer", name, str(path)]
        self._process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
        self._said: list[str] = []
        assert self._output.readline() == "opening\n"

    @property
    def _output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def await_commits(self, count: int) -> None:
        for _ in range(count):
            line = self._output.readline()
            assert line, "the process must not end on its own"
            self._said.append(line)

    def kill(self) -> list[int]:
        """Kill it and give the offsets of the commits that it has said to have returned."""
        self._process.kill()
        self._said += self._output.readlines()
        self._process.wait()
        self._output.close()
        # The last line may have been cut.
        return [int(line) for line in self._said if line.endswith("\n")]


class Check:
    """Compares an engine with the commits up to its own offset, again and again."""

    def __init__(self, name: str, path: Path) -> None:
        self._name, self._path = name, path
        self._expected: dict[bytes, bytes] = {}
        self._offset = -1

    def offset(self) -> int:
        """Open the engine, check what it holds, and give its offset; -1 if it has none."""
        engine = open_engine(self._name, self._path)
        offset = engine.changelog_offset()
        found = dict(engine.scan(None, None, reverse=False))
        engine.close()
        self._advance(-1 if offset is None else offset)
        assert found == self._expected
        return self._offset

    def _advance(self, offset: int) -> None:
        for done in range(self._offset + 1, offset + 1):
            for key, value in commit(done).items():
                if value is None:
                    self._expected.pop(key, None)
                else:
                    self._expected[key] = value
        self._offset = max(self._offset, offset)


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param(name.values[0], seed, marks=name.marks)
        for name in NAMES
        for seed in SEEDS.get(str(name.values[0]), [1, 2, 3])
    ],
)
def test_killed_at_random_moments_it_holds_a_prefix_of_the_commits(
    name: str, seed: int, tmp_path: Path
) -> None:
    """Also while files are written, merged and recovered: it is killed again and again."""
    chance = random.Random(seed)
    path = tmp_path / "store"
    check = Check(name, path)
    returned = -1
    for _ in range(6):
        committer = Committer(name, path)
        committer.await_commits(chance.choice([0, 1, 50, 400]))
        time.sleep(chance.random() * 0.05)  # opening takes some of it, a commit far less
        returned = max([returned, *committer.kill()])
        if chance.random() < 0.5:  # otherwise the next one recovers what this one left
            offset = check.offset()
            assert offset >= returned
            returned = offset
    assert check.offset() >= returned > 100


@pytest.mark.parametrize("name", NAMES)
def test_the_commit_that_returned_last_survives(name: str, tmp_path: Path) -> None:
    committer = Committer(name, tmp_path / "store")
    committer.await_commits(3)
    said = committer.kill()
    assert said[:3] == [0, 1, 2]
    assert Check(name, tmp_path / "store").offset() >= said[-1]

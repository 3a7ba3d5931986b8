"""Checks an installed Penstock as a new user would, from an empty folder: the doctor, a new project
and its test, and a word count on Spark and a broker.

Usage: PYTHON installed.py, with the interpreter of the environment in question and from anywhere.
`--short` leaves out what starts Java. It imports nothing of the repository.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

_SECONDS = 600
_LINES = '{"author": "ada", "text": "all streams"}\n{"author": "bob", "text": "All of them"}\n'
_COUNTS = {"all\t2", "streams\t1", "of\t1", "them\t1"}
_WHERE = """\
import penstock
from penstock._engine.fast.choice import state
print(penstock.__file__, state(), sep="\\n")
"""


class CheckError(Exception):
    """What is not as it should be."""


def main(words: Sequence[str]) -> int:
    """Return 0 if everything works."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--quick-doctor", action="store_true", help="the count starts Spark, too")
    parser.add_argument("--with-c", action="store_true", help="the parts in C must be there")
    parser.add_argument("--pure", action="store_true", help="they must not be there")
    parser.add_argument("--bootstrap-servers", help="a cluster (default: the local broker)")
    parser.add_argument("--name", default="words", help="the project, its topics, its application")
    asked = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="penstock-installed-") as folder:
        try:
            Check(Path(folder), asked).run()
        except CheckError as error:
            print(f"penstock: {error}", file=sys.stderr)
            return 1
    return 0


class Check:
    """One check, in a folder of its own."""

    def __init__(self, folder: Path, asked: argparse.Namespace) -> None:
        self._folder = folder
        self._asked = asked
        self._penstock = str(Path(sysconfig.get_path("scripts"), "penstock"))
        unwanted = {"PYTHONPATH", "PENSTOCK_NO_C", "PENSTOCK_REQUIRE_C"}
        kept = {key: value for key, value in os.environ.items() if key not in unwanted}
        self._environment = {**kept, "PENSTOCK_HOME": str(folder / "home")}
        servers = asked.bootstrap_servers
        self._cluster = ["--bootstrap-servers", servers] if servers else []
        self._quickly = ["--quick"] if asked.short or asked.quick_doctor else []

    def run(self) -> None:
        """Raise CheckError at the first thing that is wrong."""
        asked, name = self._asked, self._asked.name
        self._check_origin()
        self._done([self._penstock, "doctor", *self._cluster, *self._quickly])
        self._done([self._penstock, "init", name])
        test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        if "1 passed" not in self._done(test, within=name):
            msg = "the new project's test was not run"
            raise CheckError(msg)
        if not asked.short:
            self._count_words(name)
        print("all of it works", flush=True)

    def _check_origin(self) -> None:
        file, in_c = self._done([sys.executable, "-c", _WHERE]).splitlines()
        if not Path(file).is_relative_to(sys.prefix):
            msg = f"penstock is imported from {file}, which is not in {sys.prefix}"
            raise CheckError(msg)
        if (self._asked.with_c and in_c != "used") or (self._asked.pure and in_c == "used"):
            msg = f"the parts in C are {in_c}"
            raise CheckError(msg)

    def _count_words(self, name: str) -> None:
        cluster = self._cluster
        topics = [self._penstock, "topics", "app.py", "--create", *cluster]
        self._done(topics, within=name)
        produce = [self._penstock, "produce", f"{name}-messages", *cluster]
        self._done(produce, given=_LINES)
        state = ["--set", f"state.dir={self._folder / 'state'}"]
        run = [self._penstock, "run", "app.py", "--available-now", *state, *cluster]
        self._done(run, within=name)
        consume = [self._penstock, "consume", f"{name}-counts", "--value", "long", "--once"]
        counts = self._done([*consume, *cluster]).splitlines()
        if not set(counts) >= _COUNTS:
            msg = f"the words are counted {counts}; {sorted(_COUNTS)} must be among them"
            raise CheckError(msg)

    def _done(self, command: Sequence[str], *, within: str = ".", given: str = "") -> str:
        shown = " ".join((Path(command[0]).name, *command[1:]))
        print(f"== {shown.splitlines()[0]}", flush=True)
        done = subprocess.run(
            command,
            cwd=self._folder / within,
            env=self._environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        print(done.stdout, end="", flush=True)
        if done.returncode != 0:
            msg = f"{shown} ended with exit code {done.returncode}:\n{done.stderr}"
            raise CheckError(msg)
        return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

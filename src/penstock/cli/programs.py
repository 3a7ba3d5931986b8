"""From a program file to what it holds: its topology, or the application that it would run."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from penstock._engine.topology.topology import Topology
from penstock.dsl.builder import StreamsBuilder
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.terminal.invocation import Invocation, invoked

_DEFINES_ONE = (Topology, StreamsBuilder)


@dataclass(frozen=True, slots=True)
class Application:
    """What a program would run: a topology under its settings."""

    topology: Topology
    config: StreamsConfig


def load_topology(program: str) -> Topology:
    """Run a program file, not as `__main__`, and give the topology it defines at its top level; if
    it has none there, that of the KafkaStreams which it makes when it is run.
    """
    path, name = _file_and_name(program)
    sys.path.insert(0, str(Path(path).parent))
    names = runpy.run_path(path)
    if not name and not any(isinstance(value, _DEFINES_ONE) for value in names.values()):
        return load_application(program, {}).topology
    return topology_among(names, path, name)


def load_application(
    program: str, settings: Mapping[str, Any], arguments: Sequence[str] = ()
) -> Application:
    """Run a program as `__main__` up to where it makes its KafkaStreams, and give that.

    A program that makes none, or `file:name`, is the application that its file is named after, as
    for `penstock run`. `settings` go before the program's own.
    """
    path, name = _file_and_name(program)
    if name:
        return _named_after(path, load_topology(program), settings)
    seen: list[Application] = []

    def look(topology: Topology, config: StreamsConfig) -> NoReturn:
        seen.append(Application(topology, config))
        raise _EnoughSeenError

    with as_main(path, arguments), invoked(Invocation(dict(settings), look=look)):
        try:
            names = runpy.run_path(path, run_name="__main__")
        except _EnoughSeenError:
            return seen[0]
        except SystemExit as ended:
            msg = (
                f"{path} ended, with exit code {ended.code or 0}, before it made a KafkaStreams; "
                "if it needs arguments, give them at the end of the line: --program-arguments ..."
            )
            raise StreamsError(msg) from ended
    return _named_after(path, topology_among(names, path), settings)


def application_id_of(path: str | Path) -> str:
    """Give the id of a program that names none: `word_count.py` is word-count."""
    return Path(path).stem.replace("_", "-")


def topology_among(names: Mapping[str, Any], path: str, name: str = "") -> Topology:
    """Give the one topology among the top-level names of a program, or the one called `name`."""
    found = {
        key: value
        for key, value in names.items()
        if isinstance(value, _DEFINES_ONE) and (not name or key == name)
    }
    topologies = {
        key: value for key, value in found.items() if isinstance(value, Topology)
    } or found
    if len(topologies) != 1:
        given = ", ".join(sorted(topologies)) or "none"
        msg = (
            f"{path} must define one Topology or StreamsBuilder at its top level; found {given}; "
            f"name it: {path}:NAME"
        )
        raise StreamsError(msg)
    value = next(iter(topologies.values()))
    return value.build() if isinstance(value, StreamsBuilder) else value


@contextmanager
def as_main(path: str | Path, arguments: Sequence[str]) -> Iterator[None]:
    """Have `sys.argv` and `sys.path` as Python itself has them for a program."""
    argv, sys.argv = sys.argv, [str(path), *arguments]
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        yield
    finally:
        sys.argv = argv


def check_is_file(path: str | Path) -> None:
    """Refuse a program that is not there."""
    if not Path(path).is_file():
        msg = f"there is no program {str(path)!r}"
        raise StreamsError(msg)


class _EnoughSeenError(BaseException):
    """Ends a program that is only looked at; no `except Exception` of the program's holds it."""


def _named_after(path: str, topology: Topology, settings: Mapping[str, Any]) -> Application:
    own = {"application.id": application_id_of(path)}
    return Application(topology, StreamsConfig({**own, **settings}))


def _file_and_name(program: str) -> tuple[str, str]:
    path, _, name = program.partition(":")
    check_is_file(path)
    return path, name

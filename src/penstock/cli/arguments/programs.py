"""From a program file to what it holds: its topology, or the application that it would run."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from penstock._engine.topology.topology import Topology
from penstock.application import KafkaStreams
from penstock.cli.arguments.clusters import config_without_program
from penstock.cli.arguments.options import settings_of
from penstock.dsl.builder import StreamsBuilder
from penstock.errors import StreamsError, failure_location, user_traceback
from penstock.settings import StreamsConfig
from penstock.settings.config import on_cluster_of_environment, with_options
from penstock.terminal.invocation import Invocation, invoked

_DEFINES_ONE = (Topology, StreamsBuilder)


@dataclass(frozen=True, slots=True)
class Application:
    """What a program would run: a topology under its settings."""

    topology: Topology
    config: StreamsConfig


def load_topology(program: str, arguments: Sequence[str] = ()) -> Topology:
    """Run a program file, not as `__main__`, and return the topology it defines at its top level;
    if it has none there, that of the KafkaStreams which it makes when it is run.
    """
    path, name = file_and_name(program)
    with as_main(path, arguments):
        names = _names_in(path)
    if not name and not any(isinstance(value, _DEFINES_ONE) for value in names.values()):
        return load_application(program, {}, arguments).topology
    return topology_among(names, path, name)


def load_application(
    program: str, settings: Mapping[str, Any], arguments: Sequence[str] = ()
) -> Application:
    """Run a program as `__main__` up to where it makes its KafkaStreams, and return that.

    A program that makes none, or `file:name`, is the application that its file is named after, as
    for `penstock run`. `settings` go before the program's own.
    """
    path, name = file_and_name(program)
    if name:
        return _named_after(path, load_topology(program, arguments), settings)
    seen: list[Application] = []

    def look(topology: Topology, config: StreamsConfig) -> NoReturn:
        seen.append(Application(topology, config))
        raise _EnoughSeenError

    with as_main(path, arguments), invoked(Invocation(dict(settings), look=look)):
        try:
            names = _names_in(path, "__main__")
        except _EnoughSeenError:
            return seen[0]
    return _named_after(path, topology_among(names, path), settings)


def add_application_id(parser: argparse.ArgumentParser) -> None:
    """Add what a command about the group of an application needs besides a program, or without."""
    parser.add_argument(
        "--application-id",
        metavar="ID",
        help="the id of the application, instead of the program's own or without a program",
    )
    parser.add_argument(
        "--wait",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="how long to wait for members of the group to leave, such as those of an application "
        "that crashed (default 0)",
    )


def application_of(arguments: argparse.Namespace) -> Application:
    """Return the application of a program, or one without a topology that is named by its id.

    Raises:
        StreamsError: neither is given.
    """
    settings = settings_of(arguments)
    if arguments.application_id is not None:
        settings["application.id"] = arguments.application_id
    if arguments.program is not None:
        return load_application(arguments.program, settings, arguments.arguments)
    if "application.id" not in settings:
        name = arguments.command
        msg = f"{name} needs a program, penstock {name} app.py, or --application-id ID"
        raise StreamsError(msg)
    config = config_without_program(arguments)
    return Application(Topology(), with_options(config, settings))


def _names_in(path: str, name: str = "<run_path>") -> dict[str, Any]:
    """Run a program that is only inspected, and return its top-level names."""
    try:
        return run_file(path, name)
    except SystemExit as ended:
        msg = (
            f"{path} ended, with exit code {ended.code or 0}, before it made a KafkaStreams; if it "
            "needs arguments, give them at the end of the line, after --"
        )
        raise StreamsError(msg) from ended


def play(program: str, arguments: Sequence[str], options: Invocation) -> None:
    """Run a program as `python` would, with `options` in force; if it makes no application and runs
    no job of its own, then the one that its file is named after.
    """
    path, name = file_and_name(program)
    with as_main(path, arguments), invoked(options):
        names = run_file(path, "__main__")
        if options.made is not None and not options.answered:
            # It may mean that: a dry run, or a report. Never started under another name.
            print(
                f"penstock: {path} made application {options.made!r} and did not run it; call "
                "run() or start() to have it run",
                file=sys.stderr,
                flush=True,
            )
        elif not options.answered:
            topology = topology_among(names, path, name)
            KafkaStreams(topology, {"application.id": application_id_of(path)}).run()


def run_file(path: str | Path, name: str = "<run_path>") -> dict[str, Any]:
    """Run a program under a name of its own, and return its top-level names.

    Raises:
        StreamsError: it failed; a note holds its traceback, without our own lines.
    """
    try:
        return runpy.run_path(str(path), run_name=name)
    except StreamsError:
        raise
    except Exception as error:
        where = "" if isinstance(error, SyntaxError) else f" (at {failure_location(error)})"
        failed = StreamsError(f"{path} failed: {type(error).__name__}: {error}{where}")
        failed.add_note(user_traceback(error))
        raise failed from error


def application_id_of(path: str | Path) -> str:
    """Return the id of a program that names none: `word_count.py` is word-count."""
    return Path(path).stem.replace("_", "-")


def topology_among(names: Mapping[str, Any], path: str, name: str = "") -> Topology:
    """Return the one topology among the top-level names of a program, or the one called `name`."""
    found = {
        key: value
        for key, value in names.items()
        if isinstance(value, _DEFINES_ONE) and (not name or key == name)
    }
    topologies = {
        key: value for key, value in found.items() if isinstance(value, Topology)
    } or found
    if len(topologies) != 1:
        raise StreamsError(_not_one(path, name, sorted(topologies), names))
    value = next(iter(topologies.values()))
    return value.build() if isinstance(value, StreamsBuilder) else value


@contextmanager
def as_main(path: str | Path, arguments: Sequence[str]) -> Iterator[None]:
    """Set `sys.argv` and `sys.path` as Python itself sets them for a program."""
    argv, sys.argv = sys.argv, [str(path), *arguments]
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        yield
    finally:
        sys.argv = argv


def check_is_file(path: str | Path) -> None:
    """Refuse a program file that does not exist."""
    if Path(path).is_dir():
        msg = f"a program must be a Python file; {str(path)!r} is a folder"
        raise StreamsError(msg)
    if not Path(path).is_file():
        where = "" if Path(path).is_absolute() else f" in {Path.cwd()}"
        msg = f"there is no program {str(path)!r}{where}"
        raise StreamsError(msg)


class _EnoughSeenError(BaseException):
    """Ends a program that is only inspected; no `except Exception` of the program's holds it."""


def _not_one(path: str, name: str, found: list[str], names: Mapping[str, Any]) -> str:
    """Say why no topology was found under a name, or more than one under none."""
    wanted = "one Topology or StreamsBuilder at its top level"
    if name:
        known = ", ".join(key for key, value in names.items() if isinstance(value, _DEFINES_ONE))
        return (
            f"{path} has no Topology or StreamsBuilder called {name!r} at its top level; it has: "
            f"{known or 'none'}"
        )
    if found:
        return (
            f"{path} must define {wanted}; found {', '.join(found)}; name the one you mean: "
            f"{path}:{found[0]}"
        )
    return (
        f"{path} must define {wanted}, or make a KafkaStreams; found none; if a function makes it, "
        "call it at the top level: builder = make_it()"
    )


def _named_after(path: str, topology: Topology, settings: Mapping[str, Any]) -> Application:
    own = {"application.id": application_id_of(path)}
    named = StreamsConfig({**own, **settings})
    return Application(topology, on_cluster_of_environment(named, settings))


def file_and_name(program: str) -> tuple[str, str]:
    """Split `file:name`; the name may be missing, the file may not."""
    path, _, name = program.partition(":")
    check_is_file(path)
    return path, name

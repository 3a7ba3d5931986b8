"""The stores of an application that no process serves, for `penstock query`: its changelogs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.cli.arguments.clusters import config_without_program, reached
from penstock.cli.arguments.options import add_cluster, settings_of
from penstock.cli.arguments.programs import load_application
from penstock.cli.arguments.values import TYPES, serde_of
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.settings.config import with_options

if TYPE_CHECKING:
    from penstock._engine.http.clients.direct_client import DirectClient
    from penstock._engine.kafka.changelogs.known_stores import KnownStores
    from penstock._engine.kafka.client.admin_calls import AdminClient
    from penstock._engine.topology.topology import Topology


def add_changelog_options(parser: argparse.ArgumentParser) -> None:
    """Add what reading changelogs needs: the cluster, and types or the program that has them."""
    parser.add_argument(
        "--changelog",
        action="store_true",
        help="read the changelogs, as of the last commit, even if a process answers",
    )
    parser.add_argument(
        "--program",
        metavar="FILE",
        help="the program of the application, for changelogs: it has the serdes of the stores, "
        "their global tables, and says in which partition a key is",
    )
    for part in ("key", "value"):
        parser.add_argument(
            f"--{part}-type",
            choices=TYPES,
            metavar="TYPE",
            help=f"what a {part} in a changelog is, without a program (default bytes, in base64): "
            f"{', '.join(TYPES)}",
        )
    add_cluster(parser)


def names_cluster(arguments: argparse.Namespace) -> bool:
    """Return whether there is a cluster to look for changelogs: one that is named, or the data of
    the local broker.
    """
    from penstock._engine.kafka.local_broker.broker import default_data_dir  # noqa: PLC0415

    if arguments.program is not None or default_data_dir().exists():
        return True
    return _settings(arguments).names_cluster


@contextmanager
def changelog_client(arguments: argparse.Namespace) -> Iterator[DirectClient]:
    """Yield a client that reads the changelogs of an application.

    Raises:
        StreamsError: there is no such application, or its program does not fit.
    """
    # Other commands do without the Kafka client.
    from penstock._engine.http.clients.direct_client import DirectClient  # noqa: PLC0415
    from penstock._engine.kafka.changelogs.stopped_stores import StoppedStores  # noqa: PLC0415
    from penstock._engine.kafka.client.admin_calls import open_admin  # noqa: PLC0415
    from penstock._engine.kafka.client.groups import members_of  # noqa: PLC0415

    topology, config = _program(arguments)
    with reached(config, arguments) as whole:
        admin = open_admin(whole)
        known = _known(arguments, topology, whole, admin)
        runs = bool(members_of(admin, whole.application_id))
        print(_note(arguments, runs=runs, typed=known.is_of_program), file=sys.stderr)
        with StoppedStores(known, whole, admin) as stores:
            yield DirectClient(stores)


def _program(arguments: argparse.Namespace) -> tuple[Topology | None, StreamsConfig]:
    if arguments.program is None:
        return None, _settings(arguments)
    if arguments.key_type is not None or arguments.value_type is not None:
        msg = "--key-type and --value-type go without --program, which has the serdes"
        raise StreamsError(msg)
    settings = {**settings_of(arguments), "application.id": arguments.application}
    application = load_application(arguments.program, settings)
    return application.topology, application.config


def _settings(arguments: argparse.Namespace) -> StreamsConfig:
    named = {"application.id": arguments.application}
    return with_options(config_without_program(arguments), named)


def _known(
    arguments: argparse.Namespace,
    topology: Topology | None,
    config: StreamsConfig,
    admin: AdminClient,
) -> KnownStores:
    from penstock._engine.kafka.changelogs.known_stores import (  # noqa: PLC0415
        stores_of_program,
        stores_on_record,
    )

    if topology is not None:
        return stores_of_program(topology, config, admin)
    types = [
        None if name is None else serde_of(name)
        for name in (arguments.key_type, arguments.value_type)
    ]
    known = stores_on_record(config, admin, *types)
    if known is None:
        msg = (
            f"application {config.application_id!r} has never run on the cluster at "
            f"{config.bootstrap_servers}: there is no record of its stores; correct the name or "
            "--bootstrap-servers, or say --program FILE if it is one of Java's"
        )
        raise StreamsError(msg)
    return known


def _note(arguments: argparse.Namespace, *, runs: bool, typed: bool) -> str:
    """Say what is shown, and how it can differ from what the application would answer."""
    name = arguments.application
    why = (
        f"application {name!r} runs, and is asked by its changelogs: rows are"
        if runs
        else f"application {name!r} does not run: rows are from its changelogs,"
    )
    note = f"{why} as of the last commit of each task"
    if typed or arguments.store is None:
        return note
    missing = [
        f"--{part}-type"
        for part, given in (("key", arguments.key_type), ("value", arguments.value_type))
        if given is None
    ]
    if missing:
        note += f"; bytes are in base64: say {' and '.join(missing)}, or --program"
    return note

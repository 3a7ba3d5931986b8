"""Which cluster a command talks to: the one that is named, or the local broker; each says which."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from penstock.cli.arguments.options import settings_of
from penstock.settings import StreamsConfig
from penstock.settings.config import with_options
from penstock.terminal.invocation import cluster_line


def config_without_program(
    arguments: argparse.Namespace, application_id: str = "penstock"
) -> StreamsConfig:
    """Return the settings of a command that runs no program: variables of the environment, before
    them those of the command line.
    """
    variables = StreamsConfig.from_environment({"application.id": application_id})
    return with_options(variables, settings_of(arguments))


@contextmanager
def reached(config: StreamsConfig, arguments: argparse.Namespace) -> Iterator[StreamsConfig]:
    """Yield settings that name a cluster: their own, or the local broker, which is started if it
    does not run; local state is beside it then, as for `penstock run`.
    """
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.local_broker.embedded import with_state_beside_broker  # noqa: PLC0415
    from penstock._engine.kafka.local_broker.shared_broker import shared_broker  # noqa: PLC0415

    if config.names_cluster:
        _tell(cluster_line(config, settings_of(arguments)))
        yield config
        return
    with shared_broker() as servers:
        given = with_state_beside_broker(config).given()
        yield StreamsConfig({**given, "bootstrap.servers": servers})


def reached_if_it_runs(
    config: StreamsConfig, arguments: argparse.Namespace
) -> StreamsConfig | None:
    """Return settings that name a cluster: their own, or the local broker; None if that does not
    run.
    """
    from penstock._engine.kafka.local_broker.broker import running_broker  # noqa: PLC0415
    from penstock._engine.kafka.local_broker.shared_broker import local_broker_line  # noqa: PLC0415

    if config.names_cluster:
        _tell(cluster_line(config, settings_of(arguments)))
        return config
    servers = running_broker()
    if servers is None:
        return None
    _tell(local_broker_line(servers, is_new=False))
    return StreamsConfig({**config.given(), "bootstrap.servers": servers})


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)

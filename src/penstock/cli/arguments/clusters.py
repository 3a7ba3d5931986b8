"""Which cluster a command talks to: the one of the settings, or the local broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from penstock.settings import StreamsConfig


@contextmanager
def reached(config: StreamsConfig) -> Iterator[StreamsConfig]:
    """Yield settings that name a cluster: their own, or the local broker, which is started if it
    does not run; local state is beside it then, as for `penstock run`.
    """
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.local_broker.embedded import with_state_beside_broker  # noqa: PLC0415
    from penstock._engine.kafka.local_broker.shared_broker import shared_broker  # noqa: PLC0415

    if config.names_cluster:
        yield config
        return
    with shared_broker() as servers:
        given = with_state_beside_broker(config).given()
        yield StreamsConfig({**given, "bootstrap.servers": servers})

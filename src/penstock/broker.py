"""The local broker: a real Kafka on this machine, for programs that want to use it themselves.

`KafkaStreams.run` finds it by itself. A program that also writes its input or reads its results
asks for it first:

```python
with local_cluster(topology, {"application.id": "fraud"}) as config:
    producer = Producer({"bootstrap.servers": config.bootstrap_servers})
    ...
    KafkaStreams(topology, config).run()
```
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from penstock._engine.kafka.local_broker.broker import LocalBroker
from penstock._engine.kafka.local_broker.directory_lock import BrokerError
from penstock._engine.kafka.local_broker.embedded import embedded_cluster, make_missing_topics
from penstock._engine.topology.topology import Topology
from penstock.settings import StreamsConfig

__all__ = ["BrokerError", "LocalBroker", "local_cluster", "make_missing_topics"]


@contextmanager
def local_cluster(
    topology: Topology, settings: StreamsConfig | Mapping[str, Any]
) -> Iterator[StreamsConfig]:
    """Yield the settings with the local broker as their cluster, with the topics of the program on
    it, and with local state beside its data. Settings that name a cluster are given as they are.

    It is the broker that runs already (another terminal's, say), or a new one, which ends with the
    block. It reports on standard error.

    ```python
    with local_cluster(topology, {"application.id": "shop"}) as config:
        KafkaStreams(topology, config).run()
    ```
    """
    config = settings if isinstance(settings, StreamsConfig) else StreamsConfig(settings)
    if config.names_cluster:
        yield config
        return
    with embedded_cluster(topology, config, _say) as whole:
        yield whole


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)

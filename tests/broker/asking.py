"""An application, and beside it all that drivers and workers ask the cluster, again and again.

    python -m tests.broker.asking SERVERS STATE_DIR APPLICATION_ID

No request is waited for longer than a second, so that many time out while a broker is away. A line
is printed after each round. It ends at SIGTERM.
"""

from __future__ import annotations

import sys
import threading

from confluent_kafka import KafkaException, TopicPartition

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    Topology,
    serdes,
)
from penstock._engine.kafka.application.carrier_topics import offsets_of_group
from penstock._engine.kafka.application.group_progress import GroupProgress
from penstock._engine.kafka.application.preparation import prepare
from penstock._engine.kafka.application.topic_watch import TopicWatch
from penstock._engine.kafka.client import admin_calls
from penstock._engine.kafka.client.groups import commit_offsets, delete_group
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

TEXT, LONG = serdes.string(), serdes.long()
_REQUEST_SECONDS = 1.0


def counting(name: str) -> Topology:
    """Count by word, behind a repartition topic."""
    builder = StreamsBuilder()
    (
        builder.stream(f"{name}-in", Consumed(TEXT, TEXT))
        .group_by(lambda key, word: word, Grouped("words", key=TEXT, value=TEXT))
        .count(Materialized("counts", key=TEXT, value=LONG))
        .to_stream()
        .to(f"{name}-out", Produced(TEXT, LONG))
    )
    return builder.build()


def ask(topology: Topology, config: StreamsConfig) -> None:
    """Ask what a start, the supervision of an application and its end ask."""
    group, watch, other = None, None, f"{config.application_id}-other"
    while True:
        try:
            blueprint = prepare(topology, config)
            group = group or GroupProgress(blueprint)
            watch = watch or TopicWatch(topology, config, blueprint)
            group.tasks_of_others(())
            group.lag_of([task.id for task in blueprint.tasks])
            watch.look()
            offsets_of_group(config, patience_seconds=60)
            admin = admin_calls.open_admin(config)
            commit_offsets(admin, other, [TopicPartition(f"{config.application_id}-in", 0, 0)])
            delete_group(admin, other)
        except (StreamsError, KafkaException) as error:
            print(f"refused: {error}", file=sys.stderr, flush=True)
        else:
            print("round", flush=True)


def main(servers: str, state_dir: str, name: str) -> None:
    """Run the application; what it asks beside that is asked on another thread."""
    for module in list(sys.modules.values()):
        if hasattr(module, "REQUEST_SECONDS"):
            vars(module)["REQUEST_SECONDS"] = _REQUEST_SECONDS
    config = StreamsConfig(
        {
            "application.id": name,
            "bootstrap.servers": servers,
            "state.dir": state_dir,
            "processing.guarantee": "exactly_once_v2",
            "commit.interval.ms": 500,
        }
    )
    threading.Thread(target=ask, args=(counting(name), config), daemon=True).start()
    KafkaStreams(counting(name), config, host="local").run()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The embedded broker as the cluster of an application that names none.

Only here topics of the user's are made: on this broker a missing topic is a topic not yet made, on
a cluster it is a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.application.stored_program import refuse_changed_program
from penstock._engine.kafka.client.clients import admin_settings
from penstock._engine.kafka.client.topics import existing_topics, make_missing
from penstock._engine.kafka.local_broker.broker import default_data_dir
from penstock._engine.kafka.local_broker.shared_broker import shared_broker
from penstock._engine.planner.plan import plan_global_stores, plan_subtopologies
from penstock._engine.topology.topology import Topology
from penstock.settings import StreamsConfig

PARTITIONS = 4
"""How many partitions a topic is given that is made here."""


@contextmanager
def embedded_cluster(
    topology: Topology,
    config: StreamsConfig,
    say: Callable[[str], None],
    *,
    begins_anew: bool = False,
) -> Iterator[StreamsConfig]:
    """Return `config` with the embedded broker as its cluster, on which the program's topics are.

    Local state is kept beside the broker's data: it is of no use with another cluster. Say
    `begins_anew` if the application is reset before it starts: it may then be another program.

    Raises:
        StreamsError: topics are missing, and none is made: the program would not find its state
            again.
    """
    with shared_broker(progress=say) as servers:
        kept_here = with_state_beside_broker(config)
        whole = StreamsConfig({**kept_here.given(), "bootstrap.servers": servers})
        if not begins_anew:
            _refuse_before_making(topology, whole)
        made = make_missing_topics(topology, whole)
        if made:
            say(f"made the missing topics {', '.join(made)}, {PARTITIONS} partitions each")
        yield whole


def _refuse_before_making(topology: Topology, config: StreamsConfig) -> None:
    """Refuse a changed program here if topics would be made for it; otherwise its start does."""
    admin = AdminClient(admin_settings(config))
    if not topics_of(topology, config) <= set(existing_topics(admin)):
        refuse_changed_program(topology, config, admin)


def with_state_beside_broker(config: StreamsConfig) -> StreamsConfig:
    """Return `config` with local state beside the embedded broker's data, unless it has a place."""
    return StreamsConfig({"state.dir": str(default_data_dir() / "state"), **config.given()})


def make_missing_topics(
    topology: Topology, config: StreamsConfig, partitions: int = PARTITIONS, copies: int = 1
) -> list[str]:
    """Make the topics that the program names and the broker has not, and wait until they can be
    used; return their names.

    -1 leaves the number of partitions or copies to the broker.

    ```python
    config = StreamsConfig({"application.id": "shop", "bootstrap.servers": "kafka:9092"})
    make_missing_topics(topology, config, partitions=4)
    ```
    """
    return make_topics(topics_of(topology, config), config, partitions, copies)


def make_topics(
    names: Iterable[str], config: StreamsConfig, partitions: int = -1, copies: int = -1
) -> list[str]:
    """Make the topics that the broker has not, and wait until they can be used; return their
    names.
    """
    admin = AdminClient(admin_settings(config))
    return make_missing(admin, dict.fromkeys(names, partitions), copies)


def topics_of(topology: Topology, config: StreamsConfig) -> set[str]:
    """Return the user's topics that a program names: those it reads, those it writes, dead letters.

    Topics of a pattern and topics that are chosen record by record have no names yet.
    """
    plans = plan_subtopologies(topology, config.application_id)
    if (of_all := plan_global_stores(topology)) is not None:
        plans.append(of_all)
    named = {topic for plan in plans for topic in (*plan.source_topics(), *plan.sink_topics())}
    internal = {f"{config.application_id}-{topic}" for topic in topology.internal_topics}
    dead_letters = config.as_mapping()["errors.dead.letter.queue.topic.name"]
    return (named - internal) | ({dead_letters} if dead_letters else set())

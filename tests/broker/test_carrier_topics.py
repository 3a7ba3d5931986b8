"""What a start between DataFrames does with committed offsets on a real broker, which forgets them
after some days, drops them with their topic, and holds those of a killed worker back.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from penstock._engine.kafka.application.carrier_topics import (
    END_SECONDS,
    look_at,
    make_missing,
    offsets_of_group,
    patience_after_kill,
    restore_offsets,
)
from penstock._engine.kafka.client.groups import delete_group
from penstock._engine.kafka.client.topics import end_offsets
from penstock._engine.planner.internal_topics import task_topic_name
from penstock._engine.spark.between.first_start import OpenedRecord, opened_record
from penstock._engine.spark.between.kept_offsets import go_on, note_end
from penstock._engine.spark.between.run_folder import ROUTED, CarriedInput, RunRecord
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig
from penstock.testing.broker import CreateTopic, LocalBroker

pytestmark = pytest.mark.slow


@dataclass
class Run:
    """A run of two inputs, of which the application has committed something, and its folder."""

    config: StreamsConfig
    orders: str
    customers: str
    repartition: str
    admin: AdminClient
    record: RunRecord | None = None

    def write(self, record: RunRecord) -> None:
        """Store the record, as the folder does."""
        self.record = replace(record, inputs=dict(record.inputs), offsets=dict(record.offsets))

    def start(self, *inputs: str) -> OpenedRecord:
        """Do what a start does until the application starts."""
        now = look_at(self.config, inputs)
        made = opened_record(self.record, self.config.application_id, now.cluster, "folder")
        for topic in inputs:
            made.record.inputs.setdefault(topic, CarriedInput(now.ids[topic], "stream"))
        go_on(made, self.config, self, {*inputs, self.repartition}, now)
        self.write(made.record)
        make_missing(self.config, {task_topic_name(self.config.application_id): 1})
        return made

    def end(self, made: OpenedRecord, *outputs: str) -> None:
        note_end(made, outputs, self.config, self)

    def committed(self) -> dict[str, int]:
        """Return what is committed of the first partitions."""
        offsets = offsets_of_group(self.config, END_SECONDS)
        return {topic: places["0"][0] for topic, places in offsets.items() if "0" in places}

    def commit(self, **offsets: int) -> None:
        named = {getattr(self, name): {"0": (at, "t")} for name, at in offsets.items()}
        restore_offsets(self.config, named)

    def forget(self) -> None:
        """Do what the broker does after `offsets.retention.minutes`."""
        delete_group(self.admin, self.config.application_id)

    def delete(self, topic: str) -> None:
        for answer in self.admin.delete_topics([topic], operation_timeout=10).values():
            answer.result()
        deadline = time.monotonic() + 60
        while topic in self.committed() or look_at(self.config, [topic]).ids:
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.fixture
def run(kafka_broker: LocalBroker, kafka_topic: CreateTopic) -> Run:
    orders, customers = kafka_topic("kept-orders"), kafka_topic("kept-customers")
    servers = kafka_broker.bootstrap_servers
    application = f"app-{orders}"
    config = StreamsConfig({"application.id": application, "bootstrap.servers": servers})
    repartition = f"{application}-x-repartition"
    kafka_broker.create_topic(repartition, 1)
    producer = Producer({"bootstrap.servers": servers})
    for topic in (orders, customers, repartition):
        producer.produce(topic, b"1", b"k")
    producer.flush()
    admin = AdminClient({"bootstrap.servers": servers})
    return Run(config, orders, customers, repartition, admin)


def test_a_start_goes_on_though_a_topic_was_deleted_whose_offset_is_on_record(run: Run) -> None:
    made = run.start(run.orders, run.customers)
    run.commit(orders=1, customers=1, repartition=1)
    run.end(made)
    run.delete(run.customers)
    run.delete(run.repartition)
    made = run.start(run.orders)  # the topology reads the customers no more
    assert run.committed()[run.orders] == 1
    assert made.record.offsets.keys() == {run.orders}
    run.end(made)
    run.forget()
    run.start(run.orders)
    assert run.committed() == {run.orders: 1}


def test_the_kill_of_a_first_run_is_refused_once_its_offsets_are_forgotten(run: Run) -> None:
    run.start(run.orders, run.customers)
    assert run.committed() == {run.orders: 0, run.customers: 0}
    run.commit(orders=1, customers=1, repartition=1)
    run.start(run.orders, run.customers)  # a kill that is not long ago
    assert run.committed() == {run.orders: 1, run.customers: 1, run.repartition: 1}
    run.forget()
    everything = f"'{run.repartition}', '{run.customers}', '{run.orders}'"
    for _ in range(2):
        with pytest.raises(StreamsError, match=f"how far topic {everything} was read"):
            run.start(run.orders, run.customers)
    run.commit(orders=1, customers=1)
    with pytest.raises(StreamsError, match=f"how far topic '{run.repartition}' was read"):
        run.start(run.orders, run.customers)
    run.commit(repartition=1)
    run.start(run.orders, run.customers)


def test_a_first_run_that_was_killed_before_its_repartition_was_read_is_refused_too(
    run: Run,
) -> None:
    """The run had nothing of that topic on record."""
    run.start(run.orders)
    run.commit(orders=1)
    run.forget()
    with pytest.raises(StreamsError, match=f"'{run.repartition}', '{run.orders}' was read"):
        run.start(run.orders)
    run.commit(orders=1)
    with pytest.raises(StreamsError, match=f"how far topic '{run.repartition}' was read"):
        run.start(run.orders)


def test_a_start_waits_for_the_transaction_of_a_worker_that_was_killed(run: Run) -> None:
    run.start(run.orders)
    assert patience_after_kill(run.config) >= 60
    eos = StreamsConfig({**run.config.given(), "processing.guarantee": "exactly_once_v2"})
    assert patience_after_kill(eos) >= 70
    servers, group = run.config.bootstrap_servers, run.config.application_id
    consumer = Consumer({"bootstrap.servers": servers, "group.id": group})
    producer = Producer(
        {"bootstrap.servers": servers, "transactional.id": group, "transaction.timeout.ms": 15_000}
    )
    producer.init_transactions(30)
    producer.begin_transaction()
    place = TopicPartition(run.orders, 0, 1)
    producer.send_offsets_to_transaction([place], consumer.consumer_group_metadata(), 30)
    consumer.close()
    # Killed here. What is not committed begins where it began.
    made = run.start(run.orders)
    assert made.record.offsets[run.orders]["0"][0] == 0


def test_topics_that_records_name_can_be_read_to_their_end_when_a_run_has_ended(
    run: Run, kafka_topic: CreateTopic
) -> None:
    made, topic = run.start(run.orders), kafka_topic("kept-routed")
    servers = run.config.bootstrap_servers
    producer = Producer({"bootstrap.servers": servers, "transactional.id": topic})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"1", b"k")
    producer.flush()
    late = threading.Timer(1.0, producer.commit_transaction, [30])
    late.start()
    run.end(made, ROUTED)
    readable = end_offsets(run.admin, [(topic, 0)], "read_committed")
    late.join()
    assert readable == {(topic, 0): 2}  # with the marker

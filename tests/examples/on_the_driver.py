"""A show in the test driver: its input as it would be written to a topic, its answer compared."""

from __future__ import annotations

from pathlib import Path

from examples.stage.checked import Outcome, compare, script
from examples.stage.live import settings_of
from examples.stage.show import Show, Stored
from penstock import StreamsConfig, serdes
from penstock.testing import TopologyTestDriver

BEGIN = 1_750_000_000_000
RAW = serdes.bytes()


def played(show: Show, count: int, folder: Path) -> Outcome:
    """Play the first `count` numbers of a show."""
    settings = settings_of(show)
    show.prepare(StreamsConfig({**settings, "state.dir": str(folder)}))
    inputs = []
    with TopologyTestDriver(show.topology(), settings) as driver:
        topics = {topic: driver.create_input_topic(topic, RAW, RAW) for topic in show.inputs}
        for topic, key, value, timestamp in script(show, BEGIN, count):
            topics[topic].pipe_input(key, value, timestamp=timestamp)
            inputs.append(Stored(topic, 0, key, value, timestamp))
        outputs = [
            Stored(topic, 0, record.key, record.value, record.timestamp or 0, tuple(record.headers))
            for topic in show.outputs
            for record in driver.create_output_topic(topic, RAW, RAW).read_records()
        ]
    for record in outputs:
        show.take(record)
    return compare(show, inputs, outputs)

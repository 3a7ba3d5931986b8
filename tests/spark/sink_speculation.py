"""The sink with Spark's speculation, on a standalone cluster of two hosts: 127.0.0.2 and 127.0.0.3.

`python -m tests.spark.sink_speculation`: Spark starts no copy of a task on the host where it runs
already, so a local cluster has no speculation. A minute, therefore not part of the suite. One row
of each batch stands still in the first attempt of its task, behind rows that are sent already.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from pyspark import TaskContext
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from penstock import spark as streams
from penstock._engine.kafka.client.topic_io import TopicReader
from penstock._engine.kafka.local_broker.broker import LocalBroker
from tests.spark.standalone import Standalone

BATCHES, FILES, ROWS = 3, 4, 50
WAIT_SECONDS = 120
SETTINGS = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.minTaskRuntime": "500ms",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.executor.memory": "512m",
}


def slow_at_first(copies: Path) -> Callable[[Column], Column]:
    """Return a function that stands still in the first attempt, before the last row of a batch, and
    leaves a file in `copies` in a later one.
    """

    def slow(value: str) -> str:
        context = TaskContext.get()
        if context and value.endswith(f"-{FILES - 1}-{ROWS - 1}"):
            if context.attemptNumber() == 0:
                time.sleep(WAIT_SECONDS / 4)
            else:
                (copies / value).touch()
        return value

    return F.udf(slow, StringType(), useArrow=False)


def run(spark: SparkSession, broker: LocalBroker, folder: Path, way: str) -> None:
    """Write some batches, and compare."""
    inputs, checkpoint, topic = folder / f"in-{way}", str(folder / f"at-{way}"), f"spec-{way}"
    inputs.mkdir()
    copies = folder / f"copies-{way}"
    copies.mkdir()
    broker.create_topic(topic, 3)
    expected: Counter[str] = Counter()
    config = {"bootstrap.servers": broker.bootstrap_servers}
    for batch in range(BATCHES):
        for file in range(FILES):
            names = [f"{batch}-{file}-{number}" for number in range(ROWS)]
            lines = [json.dumps({"key": name[-1], "value": name}) for name in names]
            (inputs / f"{batch}-{file}.json").write_text("\n".join(lines))
            expected.update(names)
        rows = spark.readStream.schema("key string, value string").json(str(inputs))
        rows = rows.withColumn("value", slow_at_first(copies)(rows["value"]))
        if way == "plain":
            writer = rows.writeStream.format("penstock").options(**config).option("topic", topic)
            writer = writer.option("checkpointLocation", checkpoint)
            query = writer.trigger(availableNow=True).start()
        else:
            trigger = {"availableNow": True}
            query = streams.write_stream(
                rows, topic, config, checkpoint=checkpoint, trigger=trigger
            )
        assert query.awaitTermination(WAIT_SECONDS), "the query did not end"
    reader = TopicReader(broker.bootstrap_servers, [topic])
    found: Counter[str] = Counter()
    while not reader.caught_up:
        found.update((record.value or b"").decode() for record in reader.read(0.1))
    assert found == expected, f"{found - expected} doubled, {expected - found} lost"
    copied = len(list(copies.iterdir()))
    assert copied == BATCHES, f"Spark started a copy of a task in {copied} of {BATCHES} batches"
    print(f"{way}: {found.total()} records, each once, {copied} tasks had copies", flush=True)


def main() -> int:
    """Start a cluster, and write with both ways."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = stack.enter_context(LocalBroker(folder / "broker"))
        (folder / "cluster").mkdir()
        cluster = Standalone(folder / "cluster", 0)
        stack.callback(cluster.close)
        for host in ("127.0.0.2", "127.0.0.3"):
            cluster.add_worker(host)
        builder = SparkSession.builder.master(cluster.master).appName("sink-speculation")
        spark = builder.config(map=dict(SETTINGS)).getOrCreate()
        stack.callback(spark.stop)
        for way in ("plain", "placed"):
            run(spark, broker, folder, way)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The sink with Spark's speculation, on a standalone cluster of two hosts: 127.0.0.2 and 127.0.0.3.

`python -m tests.spark.sink_speculation`: Spark starts no copy of a task on the host where it runs
already, so a local cluster has no speculation. A minute, therefore not part of the suite. One row
of each batch stands still in the first attempt of its task, behind rows that are sent already.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from penstock import spark as streams
from penstock._engine.kafka.client.topic_io import TopicReader
from penstock._engine.kafka.local_broker.broker import LocalBroker

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


@contextmanager
def daemon(folder: Path, name: str, *arguments: str) -> Iterator[Path]:
    """Run a daemon of Spark's; yield its log."""
    jars = Path(str(pyspark.__file__)).parent / "jars"
    log = folder / f"{name}.log"
    command = ["java", "-Xmx256m", "-cp", f"{jars}/*", *arguments]
    environment = {**os.environ, "SPARK_HOME": str(jars.parent)}
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        yield log
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)


def found_in(log: Path, pattern: str) -> str:
    """Return what a log says, once it does."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        if found := re.search(pattern, log.read_text("utf-8", errors="replace")):
            return found[1]
        time.sleep(0.2)
    msg = f"{log} does not say {pattern}: {log.read_text('utf-8', errors='replace')[-2000:]}"
    raise TimeoutError(msg)


@F.udf(returnType="string", useArrow=False)
def slow_at_first(value: str) -> str:
    """Stand still in the first attempt, before the last row of a batch."""
    context = TaskContext.get()
    if value.endswith(f"-{FILES - 1}-{ROWS - 1}") and context and context.attemptNumber() == 0:
        time.sleep(WAIT_SECONDS / 4)
    return value


def run(spark: SparkSession, broker: LocalBroker, folder: Path, way: str) -> None:
    """Write some batches, and compare."""
    inputs, checkpoint, topic = folder / f"in-{way}", str(folder / f"at-{way}"), f"spec-{way}"
    inputs.mkdir()
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
        rows = rows.withColumn("value", slow_at_first("value"))
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
    print(f"{way}: {found.total()} records, each once", flush=True)


def main() -> int:
    """Start a cluster, and write with both ways."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = stack.enter_context(LocalBroker(folder / "broker"))
        deploy = "org.apache.spark.deploy"
        master = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        log = stack.enter_context(daemon(folder, "master", f"{deploy}.master.Master", *master))
        url = found_in(log, r"Starting Spark master at (spark://\S+)")
        for host in ("127.0.0.2", "127.0.0.3"):
            size = ("--host", host, "--cores", "2", "--memory", "1g", "--webui-port", "0")
            work = ("--work-dir", str(folder / host), url)
            worker = (f"{deploy}.worker.Worker", *size, *work)
            log = stack.enter_context(daemon(folder, host, *worker))
            found_in(log, r"(Successfully registered) with master")
        builder = SparkSession.builder.master(url).appName("sink-speculation")
        spark = builder.config(map=dict(SETTINGS)).getOrCreate()
        stack.callback(spark.stop)
        for way in ("plain", "placed"):
            run(spark, broker, folder, way)
    return 0


if __name__ == "__main__":
    sys.exit(main())

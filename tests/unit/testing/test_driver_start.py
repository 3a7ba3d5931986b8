"""The driver is light: no JVM, no Spark, no Kafka client."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import subprocess, sys

def refuse(*arguments, **options):
    raise AssertionError(f"a process was started: {arguments}")

subprocess.Popen.__init__ = refuse

from penstock import StreamsBuilder, serdes
from penstock.testing import TopologyTestDriver

text = serdes.string()
builder = StreamsBuilder()
builder.stream("in").map_values(str.upper).to("out")
with TopologyTestDriver(
    builder.build(), {"default.key.serde": text, "default.value.serde": text}
) as driver:
    driver.create_input_topic("in", text, text).pipe_input("k", "v")
    assert driver.create_output_topic("out", text, text).read_value() == "V"

heavy = {"pyspark", "py4j", "confluent_kafka", "rocksdict", "pyarrow", "pandas", "numpy"}
print(*sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.slow
def test_a_program_runs_in_the_driver_without_jvm_spark_or_kafka_client() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr, done.stdout.strip()) == (0, "", "")

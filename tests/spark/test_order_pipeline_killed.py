"""The order pipeline on Spark, killed in the middle of its work: every order is in the
database once, and its shipment is asked for once.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from examples import order_pipeline
from examples.order_pipeline import create_tables
from examples.shows.order_pipeline import OrderPipeline
from examples.stage.checked import compare, script
from examples.stage.topics import Writer, read_all
from penstock import StreamsConfig
from penstock.broker import make_missing_topics
from penstock.database import Database
from penstock.testing.broker import LocalBroker

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BEGIN = 1_750_000_000_000
ORDERS = 1000
KILLED_AT = 400
PATIENCE_SECONDS = 600.0


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.spark.order_pipeline_on_spark", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_when(process: subprocess.Popen[str], database: Database, rows: int) -> None:
    """Kill the driver when so many orders are in the database; all else ends with it."""
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        while database.read("SELECT count(*) FROM orders")[0][0] < rows:
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < until
            time.sleep(0.05)
    finally:
        process.kill()
        process.communicate()


def test_killed_every_order_is_written_once(tmp_path: Path) -> None:
    show = OrderPipeline()
    show.database = database = Database(f"sqlite:{tmp_path / 'orders.db'}")
    create_tables(database)
    with LocalBroker(tmp_path / "broker") as broker:
        servers, state = broker.bootstrap_servers, str(tmp_path / "state")
        config = StreamsConfig({**order_pipeline.settings, "bootstrap.servers": servers})
        make_missing_topics(show.topology(), config)
        writer = Writer(servers)
        writer.write(script(show, BEGIN, ORDERS))
        writer.flush()
        kill_when(start(servers, state, database.url), database, KILLED_AT)
        last = start(servers, state, database.url)
        try:
            said, _ = last.communicate(timeout=PATIENCE_SECONDS)
        finally:
            last.kill()
        assert last.returncode == 0, said
        with show.beside(config):  # the relay, until the outbox is empty
            pass
        inputs, outputs = read_all(servers, show.inputs), read_all(servers, show.outputs)
    assert compare(show, inputs, outputs).differences == []

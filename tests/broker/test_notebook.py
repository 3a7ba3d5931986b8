"""A notebook with an application on the development host: a real kernel, a real broker."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from penstock.testing.broker import LocalBroker
from tests.broker.applications import write
from tests.notebooks import ROOT, executed

CELLS = (
    """from tests.broker.test_local_host import counting, wait_for
from penstock import KafkaStreams, StreamsConfig
config = StreamsConfig.from_environment({"application.id": "notebook"})
streams = KafkaStreams(counting("notebook"), config, host="local")
""",
    "streams.start()",
    """streams.wait_until_running()
wait_for(lambda: streams.progress()["recordsIn"] == 3, "three records")
wait_for(lambda: streams.progress()["stateOperators"], "figures of the store")
""",
    "streams.progress()",
    "streams.close()",
)


@pytest.mark.slow
def test_the_development_host_shows_its_progress_and_its_end(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    for topic in ("notebook-in", "notebook-out"):
        kafka_broker.create_topic(topic, 1)
    write(kafka_broker, "notebook-in", [("a", "x"), ("b", "x"), ("a", "y")])
    source = tmp_path / "notebook.ipynb"
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]  # type: ignore[no-untyped-call]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), source)  # type: ignore[no-untyped-call]
    shown = executed(
        source,
        tmp_path,
        PENSTOCK_BOOTSTRAP_SERVERS=kafka_broker.bootstrap_servers,
        PENSTOCK_STATE_DIR=str(tmp_path / "state"),
        PYTHONPATH=str(ROOT),
    )
    progress = shown["streams.progress()"]["text/html"]
    for row in ("<td>host</td><td>local</td>", "<td>recordsIn</td><td>3</td>", "<td>counts</td>"):
        assert row in progress
    assert "notebook: ended after" in shown["streams.start()"]["text/html"]

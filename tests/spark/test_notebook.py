"""The notebook of examples/, executed from the top in a kernel of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penstock.testing.broker import LocalBroker
from tests.notebooks import ROOT, executed

NOTEBOOK = ROOT / "examples" / "page_views.ipynb"


@pytest.mark.slow
def test_every_cell_runs_and_shows_what_it_should(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert len(cells) >= 20
    assert not any(cell.get("outputs") for cell in cells), "commit it without outputs"
    # As many as the local broker makes: places of keys differ by the partitioner.
    kafka_broker.create_topic("notebook-views", 4)
    shown = executed(
        NOTEBOOK,
        tmp_path,
        PENSTOCK_BOOTSTRAP_SERVERS=kafka_broker.bootstrap_servers,
        PENSTOCK_STATE_DIR=str(tmp_path / "state"),
    )
    assert "<svg" in shown["text, long = serdes.string(), serdes.long()"]["image/svg+xml"]
    live = shown["config = StreamsConfig.from_environment("]["text/html"]
    assert "notebook-views: ended" in live, "close() returns when the last line is there"
    assert "60 records in" in live
    rows = shown['store = streams.store("views-per-window")']["text/html"]
    assert "<td>home</td>" in rows
    assert "<rect" in rows
    assert "RUNNING" in shown["streams"]["text/html"]
    assert "<td>lag</td>" in shown["streams.progress()"]["text/html"]

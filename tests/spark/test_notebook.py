"""The notebook of examples/, executed from the top in a kernel of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from penstock.testing.broker import LocalBroker

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "page_views.ipynb"
PATIENCE_SECONDS = 300


@pytest.mark.slow
def test_every_cell_runs_and_shows_what_it_should(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert len(cells) >= 20
    assert not any(cell.get("outputs") for cell in cells), "commit it without outputs"
    # As many as the local broker makes: places of keys differ by the partitioner.
    kafka_broker.create_topic("notebook-views", 4)
    shown = executed(kafka_broker.bootstrap_servers, tmp_path)
    assert "<svg" in shown["text, long = serdes.string(), serdes.long()"]["image/svg+xml"]
    live = shown["config = StreamsConfig.from_environment("]["text/html"]
    assert "60" in live, "the line counts the records while other cells run"
    rows = shown['store = streams.store("views-per-window")']["text/html"]
    assert "<td>home</td>" in rows
    assert "<rect" in rows
    assert "RUNNING" in shown["streams"]["text/html"]
    assert "<td>lag</td>" in shown["streams.progress()"]["text/html"]


def executed(servers: str, folder: Path) -> dict[str, dict[str, str]]:
    """Execute the notebook; return what each cell shows, by its first line and by kind."""
    result = folder / "executed.ipynb"
    environment = {
        **os.environ,
        "PENSTOCK_BOOTSTRAP_SERVERS": servers,
        "PENSTOCK_STATE_DIR": str(folder / "state"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    arguments = [str(NOTEBOOK), str(result), str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.execute_notebook", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    cells = json.loads(result.read_text("utf-8"))["cells"]
    return {first_line(cell): outputs(cell) for cell in cells if cell.get("outputs")}


def first_line(cell: Any) -> str:
    return "".join(cell["source"]).partition("\n")[0]


def outputs(cell: Any) -> dict[str, str]:
    """Return what a cell shows, by kind; of several outputs all texts together."""
    found: dict[str, str] = {}
    for output in cell["outputs"]:
        for kind, text in output.get("data", {}).items():
            found[kind] = found.get(kind, "") + "".join(text)
    return found

"""The notebook of examples/, executed from the top in a kernel of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from penstock.testing.broker import LocalBroker

NOTEBOOK = Path(__file__).parents[2] / "examples" / "page_views.ipynb"


class _ThisInterpreter(AsyncKernelManager):
    """Starts kernels of this environment, whatever others are installed."""

    @property
    def kernel_spec(self) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name="test", language="python")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_every_cell_runs_and_shows_what_it_should(
    kafka_broker: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_BOOTSTRAP_SERVERS", kafka_broker.bootstrap_servers)
    monkeypatch.setenv("PENSTOCK_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert len(notebook.cells) >= 20
    assert all(not cell.get("outputs") for cell in notebook.cells), "commit it without outputs"
    client = NotebookClient(
        notebook, timeout=180, km=_ThisInterpreter(), resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    shown = {first_line(cell): outputs(cell) for cell in notebook.cells if cell.get("outputs")}
    assert "<svg" in shown["text, long = serdes.string(), serdes.long()"]["image/svg+xml"]
    live = shown["config = StreamsConfig.from_environment("]["text/html"]
    assert "RUNNING" in live or "ended" in live, live
    rows = shown['store = streams.store("views-per-window")']["text/html"]
    assert "<td>home</td>" in rows
    assert "<rect" in rows
    assert "RUNNING" in shown["streams"]["text/html"]
    assert "<td>lag</td>" in shown["streams.progress()"]["text/html"]


def first_line(cell: Any) -> str:
    return str(cell.source).partition("\n")[0]


def outputs(cell: Any) -> dict[str, str]:
    """Return what a cell shows, by kind; of several outputs all texts together."""
    found: dict[str, str] = {}
    for output in cell.outputs:
        for kind, text in output.get("data", {}).items():
            found[kind] = found.get(kind, "") + str(text)
    return found

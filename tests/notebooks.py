"""Executes a notebook in a kernel of this environment.

`notebooks IN OUT FOLDER` is a program of its own: kernels leave sockets to the garbage collector,
which tests must not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 300


def executed(notebook: Path, folder: Path, **environment: str) -> dict[str, dict[str, str]]:
    """Execute a notebook; return what each cell shows, by its first line and by kind."""
    result = folder / "executed.ipynb"
    done = subprocess.run(
        [sys.executable, "-m", "tests.notebooks", str(notebook), str(result), str(folder)],
        cwd=ROOT,
        env={
            **os.environ,
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "IPYTHONDIR": str(folder / "ipython"),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    cells = json.loads(result.read_text("utf-8"))["cells"]
    return {_first_line(cell): _outputs(cell) for cell in cells if cell.get("outputs")}


def _first_line(cell: Any) -> str:
    return "".join(cell["source"]).partition("\n")[0]


def _outputs(cell: Any) -> dict[str, str]:
    """Return what a cell shows, by kind; of several outputs all texts together."""
    found: dict[str, str] = {}
    for output in cell["outputs"]:
        for kind, text in output.get("data", {}).items():
            found[kind] = found.get(kind, "") + "".join(text)
    return found


class _ThisInterpreter(AsyncKernelManager):
    """Starts kernels of this environment, whatever others are installed."""

    @property
    def kernel_spec(self) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name="test", language="python")


def main(source: str, target: str, folder: str) -> None:
    """Execute the cells in a folder; the result has their outputs."""
    notebook: Any = nbformat.read(source, as_version=4)  # type: ignore[no-untyped-call]
    resources = {"metadata": {"path": folder}}
    NotebookClient(notebook, timeout=180, km=_ThisInterpreter(), resources=resources).execute()
    nbformat.write(notebook, target)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(*sys.argv[1:])

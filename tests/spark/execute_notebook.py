"""Executes a notebook in a kernel of this environment: `execute_notebook IN OUT FOLDER`.

A program of its own: kernels leave sockets to the garbage collector, which tests must not.
"""

from __future__ import annotations

import sys
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient


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

"""`penstock describe app.py`: show the topology of a program as text, Mermaid or SVG."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock._engine.topology.topology import Topology
from penstock.dsl.builder import StreamsBuilder
from penstock.errors import StreamsError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EXAMPLES = """examples:
  penstock describe app.py                     the text that Java's describe() prints
  penstock describe app.py --format svg > topology.svg
  penstock describe app.py:builder             a name in the program, if it has several
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "describe",
        help="show the topology of a program",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "program", help="a Python file, or file:name of a Topology or StreamsBuilder"
    )
    parser.add_argument("--format", choices=("text", "mermaid", "svg"), default="text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the topology."""
    topology = load(arguments.program)
    draw = {
        "text": lambda: str(topology.describe()),
        "mermaid": topology.to_mermaid,
        "svg": topology.to_svg,
    }
    print(draw[arguments.format]())
    return 0


def load(program: str) -> Topology:
    """Run a program file, not as `__main__`, and give the topology it defines."""
    path, _, name = program.partition(":")
    if not Path(path).is_file():
        msg = f"there is no program {path!r}"
        raise StreamsError(msg)
    sys.path.insert(0, str(Path(path).parent))
    return topology_among(runpy.run_path(path), path, name)


def topology_among(names: Mapping[str, Any], path: str, name: str = "") -> Topology:
    """Give the one topology among the top-level names of a program, or the one called `name`."""
    found = {
        key: value
        for key, value in names.items()
        if isinstance(value, (Topology, StreamsBuilder)) and (not name or key == name)
    }
    topologies = {
        key: value for key, value in found.items() if isinstance(value, Topology)
    } or found
    if len(topologies) != 1:
        given = ", ".join(sorted(topologies)) or "none"
        msg = (
            f"{path} must define one Topology or StreamsBuilder at its top level; found {given}; "
            f"name it: {path}:NAME"
        )
        raise StreamsError(msg)
    value = next(iter(topologies.values()))
    return value.build() if isinstance(value, StreamsBuilder) else value

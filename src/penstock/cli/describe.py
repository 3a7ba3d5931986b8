"""`penstock describe app.py`: show the topology of a program as text, Mermaid, SVG or JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock._engine.topology.description.description import NodeDescription, TopologyDescription
from penstock.cli.arguments.options import add_command, add_json, add_program
from penstock.cli.arguments.programs import load_topology
from penstock.cli.printing import to_json

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Show the topology of a program: sources, processors, stores and sinks, by sub-topology. The program
is imported, not run, for the one Topology or StreamsBuilder at its top level; if there is none, it
is run up to where it makes its KafkaStreams.
"""
_EXAMPLES = """\
  penstock describe app.py                     the text that Java's describe() prints
  penstock describe app.py --format svg > topology.svg
  penstock describe app.py --format mermaid    for Markdown pages
  penstock describe app.py:builder             a name in the program, if it has several
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "describe",
        "show the topology of a program",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_program(parser)
    parser.add_argument(
        "--format",
        choices=("text", "mermaid", "svg"),
        default="text",
        help="Java's text (default), a Mermaid flowchart, or an SVG picture",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the topology."""
    topology = load_topology(arguments.program, arguments.arguments)
    if arguments.json:
        print(to_json(as_document(topology.describe())))
        return 0
    draw = {
        "text": lambda: str(topology.describe()),
        "mermaid": topology.to_mermaid,
        "svg": topology.to_svg,
    }
    print(draw[arguments.format]())
    return 0


def as_document(description: TopologyDescription) -> dict[str, Any]:
    """Return a description as plain lists and dicts."""
    return {
        "subtopologies": [
            {"id": part.id, "nodes": _nodes(part.nodes)} for part in description.subtopologies
        ],
        "global_stores": [
            {"id": part.id, "nodes": _nodes((part.source, part.processor))}
            for part in description.global_stores
        ],
    }


def _nodes(nodes: Iterable[NodeDescription]) -> list[dict[str, Any]]:
    return [
        {"kind": type(node).__name__.removesuffix("Description").lower(), **asdict(node)}
        for node in nodes
    ]

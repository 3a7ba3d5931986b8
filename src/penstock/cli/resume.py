"""`penstock resume`: commit the offsets kept with the state, where the group has lost them."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from penstock.cli.arguments.clusters import reached
from penstock.cli.arguments.options import add_cluster, add_command, add_json, add_program
from penstock.cli.arguments.programs import add_application_id, application_of
from penstock.cli.printing import indented, plural, table, to_json

if TYPE_CHECKING:
    from penstock._engine.kafka.application.resume import LostOffset, LostOffsets
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Let an application go on whose group has lost its committed offsets: all of them, as when the group
was deleted or was without members for longer than the broker's offsets.retention.minutes, or those
of some partitions. Its state is there, and so are marks of what was committed, in the task topic.
Shows these offsets; with --yes it commits them. It refuses while the application runs.
"""
_EXAMPLES = """\
  penstock resume app.py              show the offsets, only
  penstock resume app.py --yes        commit them
  penstock resume --application-id fraud --bootstrap-servers kafka:9092     without the program

exit code: 0 if they were shown or committed, or none are lost; 1 if it failed
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "resume",
        "let an application go on whose group has lost its committed offsets",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_program(parser, optional=True)
    add_application_id(parser)
    parser.add_argument("--yes", action="store_true", help="commit the offsets")
    add_cluster(parser)
    add_json(parser, "print the offsets as a JSON document")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Show what was lost; commit it if the user says so."""
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.application.resume import (  # noqa: PLC0415
        commit_lost_offsets,
        find_lost_offsets,
    )

    config = application_of(arguments).config
    with reached(config, arguments) as whole:
        lost = find_lost_offsets(whole, arguments.wait)
        print(to_json(asdict(lost)) if arguments.json else "\n".join(as_text(lost)))
        if lost.offsets and arguments.yes:
            commit_lost_offsets(whole, lost)
            print("committed these offsets", file=sys.stderr)
        elif lost.offsets:
            print("nothing was changed; --yes commits these offsets", file=sys.stderr)
    return 0


def as_text(lost: LostOffsets) -> list[str]:
    """Return what was lost as lines."""
    name = lost.application_id
    running = f"note: {name} runs now; stop it before its offsets are committed"
    lines = [running] if lost.members else []
    if not lost.offsets:
        return [*lines, f"application {name}: its group has all offsets that it has committed"]
    rows = [(one.topic, one.partition, one.after, _when(one)) for one in lost.offsets]
    count = plural(len(lost.offsets), "partition")
    lines += [
        f"application {name}: its group has lost the offsets of {count}; with the state were kept",
        "",
        *indented(table(("topic", "partition", "offset", "committed"), rows)),
    ]
    notes = [
        f"note: {one.topic} partition {one.partition} no longer has offset {one.marked}: the "
        f"application would go on at {one.after}"
        for one in lost.offsets
        if one.after != one.marked
    ]
    if not all(one.is_last for one in lost.offsets):
        notes.append(
            "note: where the application did not stop after that, as when it was killed, its state "
            "may have seen later records, and would count those twice; start anew instead "
            "(penstock reset), or commit other offsets with Kafka's tools if you know better ones"
        )
    return [*lines, "", *notes] if notes else lines


def _when(one: LostOffset) -> str:
    at = datetime.fromtimestamp(one.marked_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"{at}, {'when it stopped' if one.is_last else 'while it ran'}"

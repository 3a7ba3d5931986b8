"""`penstock reset`: start an application anew; shows what it would do, then asks."""

from __future__ import annotations

import argparse
import csv
import select
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from penstock._clock import SystemClock
from penstock._engine.planner.layout import draft_of
from penstock._engine.planner.reset import (
    OffsetChange,
    ResetPlan,
    ResetRequest,
    Target,
    check_not_running,
    decide_reset,
)
from penstock._engine.planner.tasks import Partition
from penstock._engine.runtime.stores.user_engines import destroy_own_state
from penstock._engine.topology.topology import Topology
from penstock.cli.arguments.clusters import reached
from penstock.cli.arguments.options import (
    add_cluster,
    add_command,
    add_json,
    add_program,
    names,
)
from penstock.cli.arguments.programs import add_application_id, application_of
from penstock.cli.arguments.times import duration, moment_ms
from penstock.cli.printing import Paint, indented, plural, table, to_json
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from penstock._engine.state.files.directory import TaskDirectory
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Let an application begin anew, as Java's kafka-streams-application-reset does: its committed offsets
are moved, to the beginning of the input topics unless told otherwise; its internal topics are
deleted (changelogs, repartition topics, the task topic); and so is its local state on this machine.
It first shows all that, then asks. It refuses while the application runs. Output topics are not
touched: what is processed again is written again.
"""
_EXAMPLES = """\
  penstock reset app.py                              show it, ask, do it
  penstock reset app.py --dry-run                    show it only
  penstock reset app.py --yes --to-latest            skip what is there; do not ask
  penstock reset app.py --by-duration 1h             process the last hour again
  penstock reset --application-id fraud --bootstrap-servers kafka:9092     without the program

exit code: 0 if it was done or nothing was to do, 1 if it failed or the answer was no
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "reset",
        "let an application begin anew: offsets, internal topics, local state",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_program(parser, optional=True)
    add_application_id(parser)
    parser.add_argument("--dry-run", action="store_true", help="show what would be done, only")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    _add_target(parser)
    _add_scope(parser)
    add_cluster(parser)
    add_json(parser, "print what is to be done as a JSON document, and do it only with --yes")
    parser.set_defaults(run=run)


def _add_target(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where the input topics are read from next")
    target = group.add_mutually_exclusive_group()
    target.add_argument("--to-earliest", action="store_true", help="their beginnings (default)")
    target.add_argument("--to-latest", action="store_true", help="their ends")
    target.add_argument("--to-offset", type=int, metavar="N", help="this offset of each partition")
    target.add_argument(
        "--to-datetime", type=moment_ms, metavar="TIME", help="a time such as 2026-01-31T12:00"
    )
    target.add_argument(
        "--by-duration",
        type=duration,
        metavar="TIME",
        help="so long before now: 30s, 15min, 2h, 7d",
    )
    target.add_argument(
        "--shift-by", type=int, metavar="N", help="N records forward, or back if negative"
    )
    target.add_argument(
        "--from-file", type=Path, metavar="FILE", help="lines of topic,partition,offset"
    )


def _add_scope(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is reset")
    group.add_argument(
        "--input-topics",
        type=names,
        metavar="A,B",
        help="move the offsets of these only (default: all that the program reads, or that the "
        "group has offsets of)",
    )
    group.add_argument(
        "--intermediate-topics",
        type=names,
        metavar="A,B",
        help="skip these to their ends (default: those that the program both writes and reads)",
    )
    group.add_argument(
        "--internal-topics", type=names, metavar="A,B", help="delete these only (default: all)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Show what would be done, ask, do it."""
    # Other commands do without the Kafka client.
    from penstock._engine.kafka.application.reset import examine, perform  # noqa: PLC0415

    application = application_of(arguments)
    topology, config = application.topology, application.config
    name = config.application_id
    with reached(config, arguments) as whole:
        wish = wish_of(arguments, topology, config, SystemClock().now_ms())
        facts = examine(wish, whole, arguments.wait)
        if not arguments.dry_run:
            check_not_running(name, facts.members)
        plan = decide_reset(wish, facts)
        if facts.members:
            print(f"note: {name} runs now; stop it before it is reset", file=sys.stderr)
        print(to_json(asdict(plan)) if arguments.json else "\n".join(as_text(plan)))
        if arguments.dry_run or plan.is_empty or (arguments.json and not arguments.yes):
            return 0
        if not arguments.yes and not _confirmed(name):
            return 1

        def forget(task: TaskDirectory) -> None:
            destroy_own_state(topology, name, task)

        perform(plan, whole, forget, lambda line: print(line, file=sys.stderr, flush=True))
    return 0


def wish_of(
    arguments: argparse.Namespace, topology: Topology, config: StreamsConfig, now_ms: int
) -> ResetRequest:
    """Return the options; the program says what the user does not."""
    draft = draft_of(topology, config.application_id)
    inputs: list[str] | None = arguments.input_topics
    intermediate: list[str] | None = arguments.intermediate_topics
    if intermediate is None:
        intermediate = sorted(set(draft.task_inputs) & set(draft.outputs))
    if inputs is None and draft.plans and not draft.has_patterns:
        inputs = [topic for topic in draft.task_inputs if topic not in intermediate]
    internal: list[str] | None = arguments.internal_topics
    return ResetRequest(
        config.application_id,
        None if inputs is None else tuple(inputs),
        tuple(intermediate),
        None if internal is None else tuple(internal),
        target_of(arguments, now_ms),
        draft.named_topics(config),
    )


def target_of(arguments: argparse.Namespace, now_ms: int) -> Target:
    """Return where the input topics are to be read from."""
    time_ms: int | None = arguments.to_datetime
    ago: timedelta | None = arguments.by_duration
    if ago is not None:
        time_ms = now_ms - int(ago.total_seconds() * 1000)
    return Target(
        offset=arguments.to_offset,
        shift=arguments.shift_by,
        time_ms=time_ms,
        latest=arguments.to_latest,
        each=None if arguments.from_file is None else read_offsets(arguments.from_file),
    )


def read_offsets(path: Path) -> dict[Partition, int]:
    """Read lines of `topic,partition,offset`.

    Raises:
        StreamsError: the file cannot be read, or a line is something else.
    """
    offsets: dict[Partition, int] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                if row:
                    topic, partition, offset = row
                    offsets[topic.strip(), int(partition)] = int(offset)
    except (OSError, ValueError) as error:
        msg = f"{str(path)!r} must hold lines of topic,partition,offset: {error}"
        raise StreamsError(msg) from error
    return offsets


def as_text(plan: ResetPlan) -> list[str]:
    """Return a plan as lines."""
    lines = [f"reset of application {plan.application_id}"]
    lines += [f"note: {note}" for note in plan.notes]
    if plan.is_empty:
        return [*lines, "nothing to do: it has no offsets elsewhere, no topics, no local state"]
    if plan.offsets:
        header = ("topic", "partition", "committed", "becomes")
        rows = [
            (change.topic, change.partition, change.before, change.after) for change in plan.offsets
        ]
        lines += ["", "input offsets", *indented(table(header, rows))]
    if plan.delete_topics:
        lines += ["", "delete internal topics", *indented(plan.delete_topics)]
    if plan.delete_local:
        count = plural(len(plan.delete_local), "task")
        lines += ["", "delete local state on this machine", f"  {plan.local_path}: {count}"]
    again = sum(max(0, (change.before or 0) - change.after) for change in _known(plan))
    if again:
        lines += ["", f"{plural(again, 'record')} will be processed again, and written again"]
    return lines


def _known(plan: ResetPlan) -> Iterator[OffsetChange]:
    return (change for change in plan.offsets if change.before is not None)


def _confirmed(application_id: str) -> bool:
    """Ask the user at the terminal, and confirm a no."""
    if not sys.stdin.isatty():
        msg = (
            f"resetting {application_id!r} must be confirmed, and nobody is at the terminal; "
            "pass --yes to do it, --dry-run to look"
        )
        raise StreamsError(msg)
    question = Paint(sys.stderr)("bold", f"reset {application_id}? [y/N] ")
    print(question, end="", file=sys.stderr, flush=True)
    answer, agreed = "", False
    try:
        answer = _line_of_terminal()
        agreed = answer.strip().lower() in {"y", "yes"}
    finally:
        if not answer.endswith("\n"):  # Ctrl-C or Ctrl-D left the cursor behind the question
            print(file=sys.stderr)
        if not agreed:
            print("nothing was changed", file=sys.stderr)
    return agreed


def _line_of_terminal() -> str:
    """Wait for a line, and for Ctrl-C as well: one that comes just before a read begins would go
    unnoticed until there is a line.
    """
    heard, told = socket.socketpair()
    with heard, told:
        told.setblocking(False)
        before = signal.set_wakeup_fd(told.fileno())
        try:
            select.select([sys.stdin, heard], [], [])
            return sys.stdin.readline()
        finally:
            signal.set_wakeup_fd(before)

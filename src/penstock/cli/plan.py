"""`penstock plan app.py`: tasks, stores, internal topics and Spark slots, before anything runs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock._engine.planner.default_stores import with_default_stores
from penstock._engine.planner.layout import Draft, draft_of, lay_out
from penstock._engine.planner.outline import (
    Outline,
    SlotsOutline,
    StoreOutline,
    SubtopologyOutline,
    outline,
)
from penstock._engine.planner.permissions import UNKNOWN_PRINCIPAL, Need, acl_command, needs_of
from penstock.cli.arguments.clusters import reached_if_it_runs
from penstock.cli.arguments.options import (
    add_cluster,
    add_command,
    add_json,
    add_program,
    settings_of,
)
from penstock.cli.arguments.programs import load_application
from penstock.cli.printing import indented, plural, table, to_json
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Show what an application will be: its sub-topologies and tasks, its stores, the internal topics it
makes, and how its tasks fall on the slots of Spark. Nothing is started or changed. The partitions
of the input topics are asked of the cluster, unless --partitions says them. The program is run up
to where it makes its KafkaStreams.
"""
_EXAMPLES = """\
  penstock plan app.py                              ask the cluster, or the local broker if it runs
  penstock plan app.py --partitions 12              as if every input had 12 partitions
  penstock plan app.py --partitions orders=12,products=4
  penstock plan app.py --set num.stream.threads=6   on six slots
  penstock plan app.py --json | jq .task_count
  penstock plan app.py --acls --principal User:fraud > allow.sh    what it must be allowed
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "plan",
        "show tasks, stores, internal topics and Spark slots",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_program(parser)
    parser.add_argument(
        "--partitions",
        type=partitions,
        metavar="N or TOPIC=N,...",
        help="how many partitions the input topics have, instead of asking the cluster",
    )
    parser.add_argument(
        "--acls",
        action="store_true",
        help="print the commands that allow the application what it needs, and nothing else",
    )
    parser.add_argument(
        "--principal",
        default=UNKNOWN_PRINCIPAL,
        metavar="TYPE:NAME",
        help="whom --acls allows it (default: User:YOU, to be filled in)",
    )
    add_cluster(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the plan."""
    settings = settings_of(arguments)
    application = load_application(arguments.program, settings, arguments.arguments)
    config = application.config
    config.check_optimizations(application.topology.optimizations)
    draft = draft_of(with_default_stores(application.topology, config), config.application_id)
    if arguments.partitions is None:
        draft, counts = _ask_cluster(draft, reached_if_it_runs(config, arguments))
    else:
        draft = draft.resolved([name for name in arguments.partitions if name])
        counts = said(draft, arguments.partitions)
    layout = lay_out(draft, counts, config)
    if arguments.acls:
        needs = needs_of(layout, config)
        rows = [_acl_as_json(need, arguments.principal) for need in needs]
        lines = acl_lines(needs, arguments.principal)
        print(to_json(rows) if arguments.json else "\n".join(lines))
        return 0
    shown = outline(layout, config, os.cpu_count() or 1)
    print(to_json(asdict(shown)) if arguments.json else "\n".join(as_text(shown)))
    return 0


def partitions(text: str) -> dict[str, int]:
    """Read `12` (of every topic, under the empty name) or `orders=12,products=4`."""
    counts: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        if not (number.isascii() and number.isdigit() and int(number) > 0):
            msg = f"partitions must be given as N or TOPIC=N,TOPIC=N; got {text!r}"
            raise argparse.ArgumentTypeError(msg)
        counts[name.strip()] = int(number)
    return counts


def said(draft: Draft, counts: Mapping[str, int]) -> dict[str, int]:
    """Return the partitions of the topics that are read, as the user says them.

    Raises:
        StreamsError: a topic has none.
    """
    of_all = counts.get("")
    missing = [topic for topic in draft.topics_to_count if topic not in counts]
    if of_all is None and missing:
        msg = (
            f"--partitions must say how many {', '.join(missing)} has; "
            f"give one number for all, or add {missing[0]}=N"
        )
        raise StreamsError(msg)
    return {topic: counts.get(topic, of_all or 0) for topic in draft.topics_to_count}


def acl_lines(needs: Iterable[Need], principal: str) -> list[str]:
    """Return a shell script: one command for each thing, and above it why."""
    lines = [
        "# What the application needs from its first start on; CREATE not once its topics exist.",
        "# Add: --bootstrap-server HOST:PORT --command-config ADMIN.properties",
    ]
    for need in needs:
        lines += [f"# {need.why}", acl_command(need, need.all_operations, principal)]
    return lines


def _acl_as_json(need: Need, principal: str) -> dict[str, Any]:
    return {
        "principal": principal,
        "resource": need.resource,
        "name": need.name,
        "pattern": "prefixed" if need.prefixed else "literal",
        "operations": sorted(need.operations),
        "advised": sorted(need.advised),
        "why": need.why,
    }


def as_text(shown: Outline) -> list[str]:
    """Return the plan as lines."""
    lines = [f"application {shown.application_id}, {shown.guarantee}", ""]
    for part in shown.subtopologies:
        lines += [*_subtopology(part), ""]
    if shown.global_stores:
        lines += ["global stores, whole in every worker", *_stores(shown.global_stores), ""]
    topics = [(topic.name, topic.kind, topic.partitions) for topic in shown.internal_topics]
    lines += ["internal topics", *indented(table(("name", "kind", "partitions"), topics)), ""]
    lines.append(f"{plural(shown.task_count, 'task')}{_standbys(shown)}; {_slots(shown.slots)}")
    return lines


def _subtopology(part: SubtopologyOutline) -> list[str]:
    ids = f": {part.tasks[0]} to {part.tasks[-1]}" if len(part.tasks) > 1 else ""
    lines = [
        f"sub-topology {part.id}, {plural(len(part.tasks), 'task')}{ids}",
        f"  reads   {', '.join(part.reads)}",
    ]
    if part.writes:
        lines.append(f"  writes  {', '.join(part.writes)}")
    lines += [f"  windows at {one.defined_at}: {_grace(one.grace_ms)}" for one in part.windows]
    return [*lines, *_stores(part.stores)]


def _grace(grace_ms: int) -> str:
    """Return what becomes of late records. Java's API makes one choose; here 0 is the default."""
    if grace_ms:
        return f"grace of {grace_ms:,} ms"
    return "no grace: records that come after the end of their window are dropped; see grace=..."


def _stores(stores: Iterable[StoreOutline]) -> list[str]:
    rows = [
        (
            store.name,
            store.kind.replace("_", "-"),
            store.engine.replace("_", "-"),
            "yes" if store.cached else "no",
            "-" if store.retention_ms is None else f"{store.retention_ms:,} ms",
            store.restored_from or "nothing: lost with its task",
        )
        for store in stores
    ]
    header = ("store", "kind", "engine", "cached", "retention", "restored from")
    return indented(table(header, rows)) if rows else []


def _standbys(shown: Outline) -> str:
    copies = shown.standby_replicas
    if not copies:
        return ""
    return (
        ", and a standby copy of each" if copies == 1 else f", and {copies} standby copies of each"
    )


def _slots(slots: SlotsOutline) -> str:
    if slots.count is None:
        return f"slots: {slots.because}"
    idle = slots.tasks_of_each.count(0)
    most, fewest = slots.tasks_of_each[0], slots.tasks_of_each[-1]
    each = f"{most} each" if most == fewest else f"{fewest} or {most} each"
    text = f"{plural(slots.count, 'slot')} ({slots.because}), {each}"
    if idle:
        text += f"; {idle} of them idle: more partitions, or fewer slots"
    return text


def _ask_cluster(draft: Draft, config: StreamsConfig | None) -> tuple[Draft, dict[str, int]]:
    # With the partitions on the command line it does without the Kafka client.
    from penstock._engine.kafka.client.admin_calls import open_admin  # noqa: PLC0415
    from penstock._engine.kafka.client.topics import existing_topics, partition_counts  # noqa: PLC0415

    if config is None:
        msg = (
            "no bootstrap.servers given and no local broker runs, so nobody knows how many "
            "partitions the input topics have; say it: --partitions N, or start a broker: "
            "penstock broker"
        )
        raise StreamsError(msg)
    admin = open_admin(config)
    if draft.has_patterns:
        draft = draft.resolved(existing_topics(admin))
    return draft, partition_counts(admin, draft.topics_to_count, draft.sources)

"""`penstock topics`: the topics of a cluster, or those of a program, and which are missing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from penstock._engine.planner.internal_topics import internal_topics_among
from penstock._engine.planner.layout import draft_of
from penstock.cli.arguments.clusters import config_without_program, reached
from penstock.cli.arguments.options import (
    add_cluster,
    add_command,
    add_json,
    add_program,
    positive,
    settings_of,
)
from penstock.cli.arguments.programs import Application, load_application
from penstock.cli.printing import table, to_json
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from penstock._engine.kafka.application.topic_listing import TopicFacts
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
List the topics of a cluster, or those of a program: what it reads and writes, the internal ones it
has made, and which are missing. Internal topics are made by the application itself.
"""
_EXAMPLES = """\
  penstock topics                                      all topics
  penstock topics app.py                               those of a program
  penstock topics app.py --create --partitions 12      make its missing input and output topics
  penstock topics --create orders payments             make these, without a program
  penstock topics --json | jq '.[].name'
"""
_COLUMNS = ("topic", "partitions", "copies", "offsets", "cleanup", "retention")


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "topics",
        "list topics, and make those that a program misses",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_program(parser, optional=True)
    parser.add_argument(
        "--create",
        nargs="*",
        metavar="NAME",
        help="make these topics, or those that the program reads or writes, if they are missing",
    )
    parser.add_argument(
        "--partitions", type=positive, metavar="N", help="of new topics (default: the broker's)"
    )
    parser.add_argument(
        "--replication-factor",
        type=positive,
        metavar="N",
        help="copies of new topics (default: the broker's)",
    )
    add_cluster(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the topics."""
    named: list[str] = arguments.create or []
    if named and is_program(named[0]):
        # topics --create app.py argument: what follows is the program's own.
        given = [] if arguments.program is None else [arguments.program]
        arguments.arguments = [*named[1:], *given, *arguments.arguments]
        arguments.program, named = named[0], []
    if arguments.program is None:
        if arguments.create is not None and not named:
            msg = (
                "--create needs names, penstock topics --create NAME, or a program: penstock "
                "topics app.py --create"
            )
            raise StreamsError(msg)
        with reached(config_without_program(arguments), arguments) as whole:
            if named:
                _create(named, whole, arguments)
            facts = _look(whole)
        if named:
            facts = [topic for topic in facts if topic.name in named]
        rows = [asdict(topic) for topic in facts]
        print(to_json(rows) if arguments.json else "\n".join(_all_as_text(facts)))
        return 0
    from penstock._engine.kafka.local_broker.embedded import topics_of  # noqa: PLC0415

    settings = settings_of(arguments)
    application = load_application(arguments.program, settings, arguments.arguments)
    with reached(application.config, arguments) as whole:
        if arguments.create is not None:
            own = sorted(topics_of(application.topology, whole))
            _create([*named, *own], whole, arguments)
        facts = _look(whole)
    rows = rows_of(roles(application, [topic.name for topic in facts]), facts)
    print(to_json(rows) if arguments.json else "\n".join(as_text(rows)))
    return 0


def roles(application: Application, existing: Iterable[str]) -> dict[str, str]:
    """Return what each topic is to a program: what it names, and the internal ones that exist."""
    config = application.config
    name = config.application_id
    draft = draft_of(application.topology, name).resolved(existing)
    found = dict.fromkeys(draft.topics_to_count, "input")
    found.update(dict.fromkeys(set(draft.topics_to_count) - set(draft.task_inputs), "global"))
    for topic in draft.outputs:
        found[topic] = "input and output" if topic in found else "output"
    dead_letters = config.as_mapping()["errors.dead.letter.queue.topic.name"]
    if dead_letters:
        found[dead_letters] = "dead letters"
    internal = internal_topics_among(list(existing), name, draft.named_topics(config))
    found.update(dict.fromkeys(internal.own, "internal"))
    return found


def rows_of(roles: Mapping[str, str], facts: Iterable[TopicFacts]) -> list[dict[str, Any]]:
    """Return a row for each topic of a program, those that are missing included."""
    there = {topic.name: topic for topic in facts}
    order = ("input", "global", "input and output", "output", "dead letters", "internal")
    return [
        {
            "name": topic,
            "role": role,
            "exists": topic in there,
            **({} if topic not in there else asdict(there[topic])),
        }
        for topic, role in sorted(roles.items(), key=lambda item: (order.index(item[1]), item[0]))
    ]


def as_text(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the topics of a program as lines."""
    header = ("topic", "role", *_COLUMNS[1:])
    cells = [
        (
            row["name"],
            row["role"] if row["exists"] else f"{row['role']}, MISSING",
            row.get("partitions"),
            row.get("copies"),
            row.get("offsets"),
            row.get("cleanup_policy") or "-",
            _retention(row.get("retention_ms"), row.get("cleanup_policy")),
        )
        for row in rows
    ]
    return table(header, cells)


def _all_as_text(facts: Iterable[TopicFacts]) -> list[str]:
    cells = [
        (
            topic.name,
            topic.partitions,
            topic.copies,
            topic.offsets,
            topic.cleanup_policy or "-",
            _retention(topic.retention_ms, topic.cleanup_policy),
        )
        for topic in facts
    ]
    return table(_COLUMNS, cells) if cells else ["there are no topics"]


def _retention(milliseconds: int | None, policy: str | None) -> str:
    if milliseconds is None or "delete" not in (policy or ""):
        return "-"
    if milliseconds < 0:
        return "forever"
    hours = milliseconds / 3_600_000
    return f"{hours / 24:.3g} days" if hours >= 48 else f"{hours:.3g} h"


def _look(config: StreamsConfig) -> list[TopicFacts]:
    from penstock._engine.kafka.application.topic_listing import look_at_topics  # noqa: PLC0415
    from penstock._engine.kafka.client.admin_calls import open_admin  # noqa: PLC0415
    from penstock._engine.kafka.client.topics import existing_topics  # noqa: PLC0415

    admin = open_admin(config)
    return look_at_topics(admin, existing_topics(admin))


def is_program(text: str) -> bool:
    """Return whether a word is a program, app.py or app.py:name, and no topic."""
    return text.partition(":")[0].endswith(".py")


def _create(names: Iterable[str], config: StreamsConfig, arguments: argparse.Namespace) -> None:
    from penstock._engine.kafka.local_broker.embedded import make_topics  # noqa: PLC0415

    made = make_topics(
        names, config, arguments.partitions or -1, arguments.replication_factor or -1
    )
    told = f"made {', '.join(made)}" if made else "no topic was missing"
    print(told, file=sys.stderr, flush=True)

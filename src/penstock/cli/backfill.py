"""`penstock backfill app.py`: process the past of an application, which then goes live."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from penstock.cli.arguments.options import (
    add_cluster,
    add_command,
    add_json,
    add_program,
    setting,
    settings_of,
)
from penstock.cli.arguments.programs import play
from penstock.cli.arguments.times import moment
from penstock.cli.printing import to_json
from penstock.settings import StreamsConfig
from penstock.terminal.backfill import show_backfill
from penstock.terminal.invocation import Invocation, cluster_line

if TYPE_CHECKING:
    from datetime import datetime

    from penstock._engine.spark.batch.backfill import BackfillReport
    from penstock._engine.topology.topology import Topology
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Process the past of a program's topics as one Spark job: what the live application would have
written is written, each record once, to its output topics and changelogs; then the offsets are
committed at which it goes on, and 'penstock run' starts there with its state. If the job is killed,
give the same command again: it goes on where it was.
"""
_EXAMPLES = """\
  penstock backfill app.py                                     all that the topics hold now
  penstock backfill app.py --until 2026-11-01T00:00:00Z        what came before that moment
  penstock backfill app.py --until orders:0=1200,orders:1=900  what comes before these offsets
  penstock backfill app.py --input orders=archive.parquet      the past of a topic from files; where
      its columns 'partition' and 'offset' end, the live application goes on
  penstock backfill app.py --input orders=old.parquet --live-from orders=earliest
"""


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "backfill",
        "process the past as a Spark job, to go live from there",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_program(parser)
    add_cluster(parser)
    parser.add_argument(
        "--until",
        type=_until,
        metavar="WHEN",
        help="where history ends in Kafka: now (default), a time, or the offsets of partitions",
    )
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        type=setting,
        metavar="TOPIC=PATH",
        help="read the history of a topic from Parquet files; may be given several times",
    )
    parser.add_argument(
        "--live-from",
        action="append",
        default=[],
        type=_live_from,
        metavar="TOPIC=WHERE",
        help="where the live application goes on in a topic of --input: earliest, latest or a "
        "time; needed if its files do not say it",
    )
    parser.add_argument(
        "--reset",
        action="store_true",
        help="first delete the application's offsets, internal topics and local state",
    )
    add_json(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the backfill of a program."""

    def instead(topology: Topology, config: StreamsConfig) -> None:
        _backfill(topology, config, arguments)

    options = Invocation(settings_of(arguments), quiet=arguments.quiet, instead=instead)
    play(arguments.program, arguments.arguments, options)
    return 0


def _backfill(topology: Topology, config: StreamsConfig, arguments: argparse.Namespace) -> None:
    # Other commands do without Spark and the Kafka client.
    from penstock._engine.kafka.local_broker.embedded import embedded_cluster  # noqa: PLC0415
    from penstock._engine.spark.batch.backfill import backfill  # noqa: PLC0415
    from penstock._engine.spark.batch.backfill_inputs import InputOptions  # noqa: PLC0415

    wishes = InputOptions(arguments.until, dict(arguments.input), dict(arguments.live_from))
    with ExitStack() as stack, show_backfill(config.application_id, quiet=arguments.quiet) as shown:
        if config.names_cluster:
            shown.say(cluster_line(config, settings_of(arguments)))
        else:
            cluster = embedded_cluster(topology, config, shown.say, begins_anew=arguments.reset)
            config = stack.enter_context(cluster)
        report = backfill(topology, config, wishes, reset=arguments.reset, on_advance=shown.advance)
        shown.finish(report.records_in, report.records_out)
    _tell(report, config.application_id, as_json=arguments.json)


def _tell(report: BackfillReport, application_id: str, *, as_json: bool) -> None:
    if as_json:
        told: dict[str, Any] = {
            "application.id": application_id,
            "records_in": report.records_in,
            "records_out": report.records_out,
            "resumed": report.resumed,
            "seconds": round(report.seconds, 3),
            "live_from": report.ends,
        }
        print(to_json(told))
        return
    for topic, ends in sorted(report.ends.items()):
        shown = ", ".join(f"{partition}: {end}" for partition, end in sorted(ends.items()))
        print(f"{topic} goes on live at offsets {shown}")


def _until(text: str) -> datetime | dict[str, dict[int, int]] | None:
    if text == "now":
        return None
    if "=" not in text:
        return moment(text)
    offsets: dict[str, dict[int, int]] = {}
    for part in text.split(","):
        place, _, offset = part.partition("=")
        topic, _, partition = place.rpartition(":")
        if not (topic and partition.isdigit() and offset.isdigit()):
            msg = f"offsets must look like TOPIC:PARTITION=OFFSET,...; got {part!r}"
            raise argparse.ArgumentTypeError(msg)
        offsets.setdefault(topic, {})[int(partition)] = int(offset)
    return offsets


def _live_from(text: str) -> tuple[str, str | datetime]:
    topic, where = setting(text)
    return topic, where if where in {"earliest", "latest"} else moment(where)

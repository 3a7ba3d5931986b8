"""`penstock doctor`: what keeps an application from running here, and what to do about it.

`findings.py` is the result of a check, `machine.py` looks at this machine, `cluster.py` at the
cluster and the topics of a program.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from penstock.cli.arguments.clusters import config_without_program, reached_if_it_runs
from penstock.cli.arguments.options import (
    add_cluster,
    add_command,
    add_json,
    add_program,
    settings_of,
)
from penstock.cli.arguments.programs import Application, load_application
from penstock.cli.doctor.cluster import check_cluster
from penstock.cli.doctor.findings import Finding, checked
from penstock.cli.doctor.machine import (
    check_java,
    check_packages,
    check_parts_in_c,
    check_python,
    check_spark,
    check_state_directory,
)
from penstock.cli.printing import Paint, plural, to_json
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

if TYPE_CHECKING:
    from penstock.cli.arguments.options import Commands

_DESCRIPTION = """\
Check what an application needs: Python and its packages, Java, Spark, the state directory; and of
the cluster: whether it answers, the topics of the program, permissions. Each fault comes with what
to do about it. Nothing is changed. Without a cluster only this machine is looked at.
"""
_EXAMPLES = """\
  penstock doctor                          this machine
  penstock doctor app.py                   and the cluster, topics and permissions of a program
  penstock doctor --quick                  without starting Spark, which takes 10 s
  penstock doctor --bootstrap-servers kafka:9092 --settings client.properties
  penstock doctor app.py --json | jq '.[] | select(.status == "failed")'

exit code: 0 if nothing failed, 1 otherwise; warnings do not count
"""
_COLOURS = {"ok": "green", "warning": "yellow", "failed": "red", "skipped": "dim"}


def register(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = add_command(
        commands,
        "doctor",
        "find what keeps an application from running, and what to do",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_program(parser, optional=True)
    parser.add_argument("--quick", action="store_true", help="do not start Spark")
    add_cluster(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the findings as they come."""
    paint, found = Paint(sys.stdout), list[Finding]()
    for finding in findings(arguments):
        found.append(finding)
        if not arguments.json:
            print("\n".join(as_text(finding, paint)), flush=True)
    if arguments.json:
        print(to_json([asdict(finding) for finding in found]))
    else:
        print(summary(found))
    return 1 if any(finding.status == "failed" for finding in found) else 0


def findings(arguments: argparse.Namespace) -> Iterator[Finding]:
    """Yield the findings of all checks, in order."""
    yield check_python(sys.version_info[:2], sys.executable)
    yield check_packages()
    yield check_parts_in_c()
    yield check_java()
    application: Application | None = None
    config = config_without_program(arguments, "penstock-doctor")
    if arguments.program is not None:
        try:
            application = load_application(
                arguments.program, settings_of(arguments), arguments.arguments
            )
        except StreamsError as error:
            yield Finding("program", "failed", str(error))
        else:
            config = application.config
            told = f"{arguments.program} makes the application {config.application_id}"
            yield Finding("program", "ok", told)
    yield check_state_directory(_placed(config))
    yield checked("Spark", lambda: check_spark(_placed(config), quick=arguments.quick))
    yield from check_cluster(reached_if_it_runs(config, arguments), application)


def as_text(finding: Finding, paint: Paint) -> list[str]:
    """Return a finding as lines: what was found, then what to do."""
    mark = paint(_COLOURS[finding.status], f"{finding.status:>7}")
    lines = [f"{mark}  {finding.name}: {finding.told}"]
    if finding.fix:
        lines.append(f"         -> {finding.fix}")
    return lines


def summary(found: Iterable[Finding]) -> str:
    """Return the last line."""
    statuses = [finding.status for finding in found]
    failed, warned = statuses.count("failed"), statuses.count("warning")
    if not failed and not warned:
        return "all is well"
    return f"{plural(failed, 'fault')}, {plural(warned, 'warning')}"


def _placed(config: StreamsConfig) -> StreamsConfig:
    """Return the settings with the state directory that the application would have."""
    if config.names_cluster:
        return config
    from penstock._engine.kafka.local_broker.embedded import with_state_beside_broker  # noqa: PLC0415

    return with_state_beside_broker(config)

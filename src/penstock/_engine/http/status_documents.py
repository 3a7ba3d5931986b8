"""Health, tasks and metadata of an application, from its state and its workers' reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock._engine.control.messages import Report
from penstock._engine.control.status import GONE, status
from penstock._engine.http.served import Application
from penstock._engine.http.store_reads import describe_store

_ENDED = {"PENDING_ERROR", "ERROR", "NOT_RUNNING"}
_SHOWN_REASONS = 20


def liveness(application: Application) -> tuple[int, dict[str, Any]]:
    """Return 200 while the application works or starts, 503 when it has ended or failed."""
    state = application.state
    return (503 if state in _ENDED else 200), {"live": state not in _ENDED, "state": state}


def readiness(application: Application) -> tuple[int, dict[str, Any]]:
    """Return 200 if the application is RUNNING and every task is owned and restored, else 503 and
    why not.
    """
    reasons = _reasons(application)
    document = {
        "ready": not reasons,
        "state": application.state,
        "reasons": reasons[:_SHOWN_REASONS],
        "trouble": application.trouble,
    }
    return (503 if reasons else 200), document


def tasks(application: Application) -> list[dict[str, Any]]:
    """Return each task of the plan: its state, its owner, its stores."""
    owners = _owners(application.reports())
    return [
        {"id": task, **known, **owners.get(task, {"state": "unassigned", "worker": None})}
        for task, known in application.tasks().items()
    ]


def metadata(application: Application) -> dict[str, Any]:
    """Return where the parts of each store are, and the figures of the progress."""
    reports = application.reports()
    owners = _owners(reports)
    stores = []
    for name, entry in sorted(application.stores().items()):
        parts = [
            {"partition": partition, "task": task, "worker": owners.get(task, {}).get("worker")}
            for partition, task in sorted(entry.tasks.items())
        ]
        stores.append({**describe_store(name, entry), "parts": [] if entry.is_global else parts})
    return {
        "application_id": application.application_id,
        "state": application.state,
        "guarantee": "exactly_once_v2" if application.exactly_once else "at_least_once",
        "figures": status(reports, application.lag()),
        "workers": [
            {"id": one.member_id, "process": one.pid, "state": one.state, "home": one.home}
            for one in reports.values()
            if one.state not in GONE
        ],
        "stores": stores,
    }


def _owners(reports: Mapping[str, Report]) -> dict[str, dict[str, Any]]:
    """Return state and worker of each task that a worker has."""
    owners: dict[str, dict[str, Any]] = {}
    for report in reports.values():
        if report.state in GONE:
            continue
        for task, state in report.tasks.items():
            if task not in owners or state == "running":
                owners[task] = {"state": state, "worker": report.member_id}
    return owners


def _reasons(application: Application) -> list[str]:
    state = application.state
    reasons = [f"the application is {state}"] if state != "RUNNING" else []
    owners = _owners(application.reports())
    restoring = [task for task, owner in owners.items() if owner["state"] != "running"]
    reasons += [f"task {task} is {owners[task]['state']}" for task in sorted(restoring)]
    # A RUNNING application has a member of its group for each task: those that no worker of this
    # driver has are another driver's.
    if state != "RUNNING":
        absent = application.tasks().keys() - owners.keys()
        reasons += [f"task {task} has no worker here" for task in sorted(absent)]
    return reasons

"""Health, tasks and metadata of an application, from its state and its workers' reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock._engine.control.status import GONE, SILENT, status
from penstock._engine.http.served import Application
from penstock._engine.http.store_reads import describe_store

_ENDED = {"PENDING_ERROR", "ERROR", "NOT_RUNNING"}
_SHOWN_REASONS = 20
_UNASSIGNED: dict[str, Any] = {"state": "unassigned", "worker": None, "driver": None}


def liveness(application: Application) -> tuple[int, dict[str, Any]]:
    """Return 200 while the application works or starts, 503 when it has ended or failed."""
    state = application.state
    return (503 if state in _ENDED else 200), {"live": state not in _ENDED, "state": state}


def readiness(application: Application) -> tuple[int, dict[str, Any]]:
    """Return 200 if the application is RUNNING and every task is owned and restored, here or by
    another driver, else 503 and why not.
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
    owners = _owners(application)
    return [
        {"id": task, **known, **owners.get(task, _UNASSIGNED)}
        for task, known in application.tasks().items()
    ]


def metadata(application: Application) -> dict[str, Any]:
    """Return where the parts of each store are, and the figures of the progress."""
    reports = application.reports()
    owners = _owners(application)
    stores = []
    for name, entry in sorted(application.stores().items()):
        parts = [
            {
                "partition": partition,
                "task": task,
                "worker": owners.get(task, _UNASSIGNED)["worker"],
                "driver": owners.get(task, _UNASSIGNED)["driver"],
            }
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
        "drivers": [
            {
                "name": driver.name,
                "address": driver.url,
                "host": None if driver.host is None else list(driver.host),
                "tasks": sorted(driver.tasks),
            }
            for driver in application.drivers()
        ],
        "stores": stores,
    }


def _owners(application: Application) -> dict[str, dict[str, Any]]:
    """Return state, worker and driver of each task that has an owner; those of workers here are
    known best.
    """
    here, *others = application.drivers()
    owners: dict[str, dict[str, Any]] = {
        task: {"state": state, "worker": None, "driver": driver.name}
        for driver in others
        for task, state in driver.tasks.items()
    }
    own: dict[str, dict[str, Any]] = {}
    silent: dict[str, dict[str, Any]] = {}
    # The last one is believed: one that hangs does not know that its task has moved.
    for report in sorted(application.reports().values(), key=lambda one: not one.repeated):
        if report.state in GONE:
            continue
        for task, state in report.tasks.items():
            if report.state == SILENT:
                silent[task] = {"state": SILENT, "worker": report.member_id, "driver": here.name}
            elif task not in own or state == "running":
                own[task] = {"state": state, "worker": report.member_id, "driver": here.name}
    return silent | owners | own


def _reasons(application: Application) -> list[str]:
    state = application.state
    reasons = [f"the application is {state}"] if state != "RUNNING" else []
    owners = _owners(application)
    tasks = application.tasks().keys()
    restoring = [task for task in tasks & owners.keys() if owners[task]["state"] != "running"]
    reasons += [_why_not_ready(task, owners[task]) for task in sorted(restoring)]
    return reasons + [f"task {task} has no worker" for task in sorted(tasks - owners.keys())]


def _why_not_ready(task: str, owner: Mapping[str, Any]) -> str:
    if owner["state"] == SILENT:
        return f"task {task}: worker {owner['worker']} sends no reports; its log says why"
    return f"task {task} is {owner['state']}"

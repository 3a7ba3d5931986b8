"""All members of the group must run the same program and the same plan.

An application that starts while another program runs under its name is refused. A worker opens its
assigned tasks only if every member of the group has the worker's own identity: a member with
another plan would take the same number for another task.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable

from confluent_kafka.admin import AdminClient

from penstock._clock import monotonic
from penstock._engine.kafka.client.clients import consumer_settings
from penstock._engine.kafka.client.groups import GroupMember, group_members
from penstock._engine.planner.identity import Identity, read_identity
from penstock.errors import StreamsError
from penstock.settings import StreamsConfig

_log = logging.getLogger(__name__)

_ASK_SECONDS = 5.0
_ASK_AGAIN_SECONDS = 0.5
_LEAVE_SECONDS = 10.0
_WARN_AGAIN_SECONDS = 30.0

DeadMembers = Callable[[], Collection[str]]
"""Returns the ids of members whose processes have ended, which the group may not know yet."""


def incompatible_members(
    members: Iterable[GroupMember], own: Identity, dead: Collection[str]
) -> list[GroupMember]:
    """Return the living members whose program or plan is not `own`."""
    return [
        member
        for member in members
        if member.instance_id not in dead and read_identity(member.client_id) != own
    ]


def refusal(application_id: str, others: list[GroupMember], own: Identity) -> str:
    """Return why an application cannot work beside `others`."""
    hosts = ", ".join(sorted({member.host for member in others}))
    where = f"{len(others)} members of its group, on {hosts}"
    if all(_has_program(member, own) for member in others):
        return (
            f"application {application_id!r} is run by {where}, which still have an old count of "
            "partitions; they take the new one when they notice the change, or when they are "
            "started again"
        )
    return (
        f"application {application_id!r} is run by another program: {where}, run a topology of "
        "another shape; stop it first, or give this one another 'application.id'"
    )


def _has_program(member: GroupMember, own: Identity) -> bool:
    shown = read_identity(member.client_id)
    return shown is not None and shown.program == own.program


def wait_for_agreement(
    config: StreamsConfig,
    admin: AdminClient,
    own: Identity,
    dead: DeadMembers,
    meanwhile: Callable[[], None],
) -> None:
    """Wait until the group has no members of another program or plan: those that were killed, or
    are about to leave, are gone when their session is over. Where there are some, `meanwhile` is
    called first.

    Raises:
        StreamsError: they stay.
    """
    group = consumer_settings(config, "group")
    session_seconds = int(group["session.timeout.ms"]) / 1000
    # One of the same program may be in a function for so long, and leaves after it.
    busy_seconds = int(group["max.poll.interval.ms"]) / 1000
    began, warned = monotonic(), False
    while others := incompatible_members(group_members(admin, config.application_id), own, dead()):
        patience = session_seconds + _LEAVE_SECONDS
        if all(_has_program(member, own) for member in others):
            patience += busy_seconds
        if monotonic() >= began + patience:
            raise StreamsError(refusal(config.application_id, others, own))
        if not warned:
            warned = True
            _log.warning(
                "%s; waiting up to %.0f s for them to leave",
                refusal(config.application_id, others, own),
                patience,
            )
            meanwhile()
            continue
        time.sleep(_ASK_AGAIN_SECONDS)


class Agreement:
    """Whether all members have the identity of this one."""

    def __init__(
        self, admin: AdminClient, application_id: str, own: Identity, dead: DeadMembers
    ) -> None:
        self._admin = admin
        self._application_id = application_id
        self._own = own
        self._dead = dead
        self._reached = False
        self.is_new = True
        """Whether it has never been reached."""
        self._ask_after = 0.0
        self._warn_after = 0.0
        self._since: float | None = None

    def reconsider(self) -> None:
        """Ask the group again before tasks are opened: its members have changed."""
        self._reached = False
        self._ask_after = 0.0

    def reached(self, now: float) -> bool:
        """Return whether tasks may be opened.

        Raises:
            StreamsError: there are others that do not leave, and have been there before this one
                could begin.
        """
        if self._reached or not self._own.program:
            return True
        if now < self._ask_after:
            return False
        self._ask_after = now + _ASK_AGAIN_SECONDS
        try:
            members = group_members(self._admin, self._application_id, _ASK_SECONDS)
        except StreamsError as error:
            _log.info("the members of the group are not known: %s", error)
            return False
        others = incompatible_members(members, self._own, self._dead())
        self._reached = not others
        if self._reached:
            self.is_new = False
            self._since = None
        else:
            self._wait(others, now)
        return self._reached

    def _wait(self, others: list[GroupMember], now: float) -> None:
        if self._since is None:
            self._since = now
        reason = refusal(self._application_id, others, self._own)
        if self.is_new and now - self._since >= _LEAVE_SECONDS:
            raise StreamsError(reason)
        if now >= self._warn_after:
            self._warn_after = now + _WARN_AGAIN_SECONDS
            _log.warning("%s; new tasks wait until they have left", reason)

"""What the journal of a sink says: its records, and the state they add up to. Pure.

A journal has one partition, so all its records have one order. Keys begin with the query they
belong to:

    run          which run of the query may write, and those that may not any more
    claim/ID     a transactional id is in use: that of a partition, or of the lock under which a run
                 is opened; the last claim is the newest
    written/P    the last batch that partition P has written, in the transaction that wrote it
    cut          all partitions of a batch that was found half written, compared and agreed on
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock._engine.kafka.sink.contents import Contents
from penstock.errors import StreamsError

LOCK_ID = "opening"
"""The transactional id under which a run is opened."""
_FORMAT = 1
_RUNS_KEPT = 50


@dataclass(frozen=True, slots=True)
class Run:
    """The run of the query that may write. A run is `open` when the ids of earlier runs are
    fenced; `superseded` are those.
    """

    run_id: str
    is_open: bool
    superseded: tuple[str, ...] = ()

    def follow(self, run_id: str) -> Run:
        """Return a run that supersedes this one."""
        if run_id == self.run_id:
            return self
        return Run(run_id, False, (*self.superseded, self.run_id)[-_RUNS_KEPT:])


@dataclass(frozen=True, slots=True)
class Written:
    """What a partition has written last."""

    run_id: str
    batch: int
    contents: Contents
    topic_partition_count: int | None = None
    """How many partitions of the topic the batch was cut by, None if Spark has cut it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The partitions of a batch."""

    batch: int
    parts: Mapping[int, Contents]


@dataclass(slots=True)
class JournalState:
    """All that the journal says of one query, up to some offset."""

    run: Run | None = None
    claims: dict[str, str] = field(default_factory=dict)
    """The last claim of each transactional id."""
    written: dict[int, Written] = field(default_factory=dict)
    cut: Cut | None = None

    def apply(self, kind: str, text: bytes) -> None:
        """Take a record into account.

        Raises:
            StreamsError: a later version of Penstock has written it.
        """
        document = _document(text)
        name, _, place = kind.partition("/")
        if name == "run":
            self.run = Run(document["run"], document["open"], tuple(document["superseded"]))
        elif name == "claim":
            self.claims[place] = document["claim"]
        elif name == "written":
            contents = Contents(document["count"], document["checksum"])
            self.written[int(place)] = Written(
                document["run"], document["batch"], contents, document["partitions"]
            )
        elif name == "cut":
            parts = {int(at): Contents(*part) for at, part in document["parts"].items()}
            self.cut = Cut(document["batch"], parts)


def run_record(run: Run) -> tuple[str, bytes]:
    """Return kind and value of the record of a run."""
    return "run", _json(run=run.run_id, open=run.is_open, superseded=list(run.superseded))


def claim_record(id_: str, claim: str, run_id: str) -> tuple[str, bytes]:
    """Return kind and value of the record with which a run claims a transactional id."""
    return f"claim/{id_}", _json(claim=claim, run=run_id)


def written_record(partition: int, written: Written) -> tuple[str, bytes]:
    """Return kind and value of the record of a written partition."""
    return f"written/{partition}", _json(
        run=written.run_id,
        batch=written.batch,
        count=written.contents.count,
        checksum=written.contents.checksum,
        partitions=written.topic_partition_count,
    )


def cut_record(cut: Cut) -> tuple[str, bytes]:
    """Return kind and value of the record of an agreed cut."""
    parts = {at: [part.count, part.checksum] for at, part in sorted(cut.parts.items())}
    return "cut", _json(batch=cut.batch, parts=parts)


def state_of(records: Iterable[tuple[str, bytes]]) -> JournalState:
    """Return what records add up to, in their order."""
    state = JournalState()
    for kind, text in records:
        state.apply(kind, text)
    return state


def ids_of_other_runs(
    records: Iterable[tuple[str, bytes]], run: Run | None, run_id: str
) -> list[str]:
    """Return the transactional ids that other runs than `run_id` have used last in `records`, which
    may be of open transactions; none if `run_id` is superseded, by `run` or by one of the records.

    Raises:
        StreamsError: a later version of Penstock has written one.
    """
    users: dict[str, str] = {}
    superseded = set() if run is None else set(run.superseded)
    for kind, text in records:
        document = _document(text)
        name, _, place = kind.partition("/")
        if name == "run":
            superseded.update(document["superseded"])
            place = LOCK_ID
        # An agreed cut does not say its run; the claim before it does.
        if "run" in document:
            users[place] = document["run"]
    if run_id in superseded:
        return []
    return [id_ for id_, user in users.items() if user != run_id]


def _document(text: bytes) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    if document.pop("format") != _FORMAT:
        msg = (
            "the journal of the sink was written by another version of Penstock: go on with "
            "that version, or with a new checkpoint"
        )
        raise StreamsError(msg)
    return document


def _json(**document: Any) -> bytes:
    return json.dumps({"format": _FORMAT, **document}).encode()

"""What a reader of topics asks for, checked: which topics, from where to where, which columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from penstock._engine.kafka.client.topic_history import (
    RECORDS_PER_SPLIT,
    Bound,
    check_bounds,
)
from penstock._engine.kafka.client.topic_offsets import TopicChoice
from penstock.errors import ConfigError
from penstock.serdes import Serde

Topics: TypeAlias = str | Sequence[str] | re.Pattern[str]
"""A topic, several, or a compiled pattern that the whole names match."""
OffsetsByTopic: TypeAlias = Mapping[str, Mapping[int, int]]
Edge: TypeAlias = Literal["earliest", "latest"] | datetime | int | OffsetsByTopic | None
"""Where reading begins or ends: at the first record, at the end, at a moment (a datetime with a
time zone, or milliseconds since the epoch), or at offsets by topic and partition.
"""

_FLAGS = {re.ASCII: "a", re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
_TOPIC_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A read of topics, as a stream or as a batch."""

    choice: TopicChoice
    starting: Edge = None
    ending: Edge = None
    key: Serde[Any] | None = None
    value: Serde[Any] | None = None
    headers: bool = False
    table: bool = False
    fail_on_data_loss: bool = True
    max_offsets_per_trigger: int | None = None
    max_records_per_partition: int | None = None

    def __post_init__(self) -> None:
        _check_choice(self.choice)
        for name, edge in (("starting", self.starting), ("ending", self.ending)):
            check_bounds(name, edge)
            _check_topics(name, edge, self.choice)
        for name in ("max_offsets_per_trigger", "max_records_per_partition"):
            number = getattr(self, name)
            if number is not None and (not isinstance(number, int) or number < 1):
                msg = f"{name} must be a whole number from 1 on; got {number!r}"
                raise ConfigError(msg)
        for name in ("key", "value"):
            serde = getattr(self, name)
            if serde is not None and not isinstance(serde, Serde):
                msg = f"{name} must be a serde, such as serdes.string(); got {serde!r}"
                raise ConfigError(msg)

    def check_stream(self) -> None:
        """Refuse what only a batch read can do.

        Raises:
            ConfigError: an end is given.
        """
        if self.ending is not None:
            msg = (
                "a stream has no end: 'endingOffsets' and 'endingTimestamp' are for batch reads; "
                "to read what is there now and stop, use trigger(availableNow=True)"
            )
            raise ConfigError(msg)

    def check_batch(self) -> None:
        """Refuse what only a stream can do.

        Raises:
            ConfigError: a limit for each batch of a stream is given.
        """
        if self.max_offsets_per_trigger is not None:
            msg = "'maxOffsetsPerTrigger' is for streams: a batch read is one batch"
            raise ConfigError(msg)

    @property
    def starting_as_stream(self) -> Edge:
        """Where a stream begins: as Spark's own Kafka source at the end, unless it is a table,
        which is nothing without its past.
        """
        if self.starting is not None:
            return self.starting
        return "earliest" if self.table else "latest"

    @property
    def records_per_split(self) -> int | None:
        """How many records a Spark task of a batch read reads; None for a whole partition, in which
        the last row of each key must be found.
        """
        return None if self.table else self.max_records_per_partition or RECORDS_PER_SPLIT


def choice_of(topics: Topics) -> TopicChoice:
    """Return the topics that a user names.

    Raises:
        ConfigError: it is neither a name, nor names, nor a pattern of text without flags.
    """
    if isinstance(topics, re.Pattern):
        _check_pattern(topics)
        return TopicChoice(pattern=topics.pattern)
    if isinstance(topics, str):
        return TopicChoice((topics,))
    try:
        return TopicChoice(tuple(dict.fromkeys(topics)))
    except TypeError:
        msg = f"topics must be a name, several, or a compiled pattern; got {topics!r}"
        raise ConfigError(msg) from None


def bounds_of(edge: Edge) -> dict[str, Bound]:
    """Return where reading begins or ends by topic, under "" for all topics."""
    return dict(edge) if isinstance(edge, Mapping) else {"": edge}


def check_topic_name(name: object, advice: str = "") -> None:
    """Refuse what no topic can be called.

    Raises:
        ConfigError: it is none.
    """
    if not isinstance(name, str) or not _TOPIC_NAME.fullmatch(name) or name in {".", ".."}:
        msg = f"{name!r} can be no topic: names have letters, digits, '.', '_' and '-'{advice}"
        raise ConfigError(msg)


def _check_pattern(pattern: re.Pattern[Any]) -> None:
    """Refuse what is not in the text of a pattern, which is all that the source keeps of it."""
    if not isinstance(pattern.pattern, str):
        msg = f"the pattern of topics must be text, as names are; got {pattern!r}"
        raise ConfigError(msg)
    # Flags that stand in the text, as in (?i), are there again.
    dropped = re.RegexFlag(pattern.flags & ~re.compile(pattern.pattern).flags & ~re.DEBUG)
    if dropped:
        letters = "".join(letter for flag, letter in _FLAGS.items() if flag in dropped)
        msg = (
            f"flags of a compiled pattern are not kept: write (?{letters}) into the pattern, in "
            f"front; got {pattern!r}"
        )
        raise ConfigError(msg)


def _check_choice(choice: TopicChoice) -> None:
    if choice.pattern is not None:
        try:
            re.compile(choice.pattern)
        except re.error as error:
            msg = f"subscribePattern must be a regular expression: {error}; got {choice.pattern!r}"
            raise ConfigError(msg) from error
        return
    if not choice.names:
        msg = "a topic must be named, or several, or a pattern"
        raise ConfigError(msg)
    for name in choice.names:
        check_topic_name(
            name, "; to read all that match a pattern use subscribePattern, or pass re.compile(...)"
        )


def _check_topics(name: str, edge: Edge, choice: TopicChoice) -> None:
    named = set(edge) if isinstance(edge, Mapping) else set()
    if choice.pattern is None and (strangers := sorted(named - set(choice.names))):
        msg = (
            f"{name} has offsets of {', '.join(map(repr, strangers))}, which "
            f"{'is' if len(strangers) == 1 else 'are'} not read; read: {choice}"
        )
        raise ConfigError(msg)

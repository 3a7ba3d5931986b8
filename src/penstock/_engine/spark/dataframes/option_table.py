"""All options of `format("penstock")` and `format("penstock-state")`: which there are, and where.

What is no option of a use is a setting of the clients, unless it is an option of another use: then
it is refused here, before a cluster is asked. docs/spark/options.md shows this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from penstock.errors import ConfigError

Use: TypeAlias = Literal["read", "readStream", "write", "state"]
"""What a user does: `write` is that of batches and streams, `state` reads a store."""

_READS: tuple[Use, ...] = ("read", "readStream")
_TOPICS: tuple[Use, ...] = (*_READS, "write")
_ALL: tuple[Use, ...] = (*_TOPICS, "state")
_WORDS: dict[Use, str] = {
    "read": "spark.read.format('penstock')",
    "readStream": "spark.readStream.format('penstock')",
    "write": "write and writeStream of format('penstock')",
    "state": "spark.read.format('penstock-state')",
}
# Spark hands them over with the others.
_OF_SPARK: dict[Use, set[str]] = {
    "write": {"path", "checkpointlocation", "queryname"},
    "state": {"path"},
}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of ours."""

    name: str
    uses: tuple[Use, ...]
    takes: str
    """What it may be."""


OPTIONS = (
    Option("topic", _TOPICS, "a name; reads: several with commas between"),
    Option("subscribe", _READS, "the same as `topic`"),
    Option("subscribePattern", _READS, "a regular expression that whole names match"),
    Option("startingOffsets", _READS, "`earliest`, `latest`, or offsets as JSON"),
    Option("startingTimestamp", _READS, "milliseconds since the epoch"),
    Option("endingOffsets", ("read",), "`earliest`, `latest`, or offsets as JSON"),
    Option("endingTimestamp", ("read",), "milliseconds since the epoch"),
    Option("includeHeaders", _READS, "`true` or `false`"),
    Option("table", _READS, "`true` or `false`"),
    Option("failOnDataLoss", _READS, "`true` or `false`"),
    Option("maxOffsetsPerTrigger", ("readStream",), "a whole number from 1 on"),
    Option("maxRecordsPerPartition", _READS, "a whole number from 1 on"),
    Option("afterPartialWrite", ("write",), "`refuse` or `again`"),
    Option("application", ("state",), "an `application.id`; must be given"),
    Option("store", ("state",), "the name of a store; must be given"),
    Option("until", ("state",), "offsets such as `0:1200,1:980`"),
    Option("keyType", _ALL, "the name of a serde"),
    Option("valueType", _ALL, "the name of a serde"),
    Option("settings", _ALL, "a file, `.properties` or `.toml`"),
)


def own_options(*uses: Use) -> set[str]:
    """Return the options of some uses, and those that Spark hands over, in lower case."""
    own = {one.name.lower() for one in OPTIONS if not set(uses).isdisjoint(one.uses)}
    return own.union(*(_OF_SPARK.get(use, set()) for use in uses))


def check_use(options: Iterable[str], *uses: Use) -> None:
    """Refuse options that are of another use.

    Raises:
        ConfigError: it says of which.
    """
    own = own_options(*uses)
    others: Mapping[str, Option] = {one.name.lower(): one for one in OPTIONS}
    for name in options:
        stranger = others.get(name.lower())
        if stranger is not None and name.lower() not in own:
            theirs = " and ".join(_WORDS[use] for use in stranger.uses)
            msg = f"option {stranger.name!r} is for {theirs}, not for {_WORDS[uses[0]]}"
            raise ConfigError(msg)

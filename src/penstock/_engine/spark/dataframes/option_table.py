"""All options of `format("penstock")` and `format("penstock-state")`: which there are, and where.

What is no option of a use is a setting of the clients, unless it is an option of another use: then
it is refused here, before a cluster is asked. docs/spark/options.md shows this table.
"""

from __future__ import annotations

from collections.abc import Mapping
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
# In lower case, and what to do instead.
_AGAIN_BY_ITSELF = "leave it out: the client tries again by itself"
_LARGER_BATCHES = "trigger(processingTime='1 minute') waits for larger batches"
_OF_SPARKS_SOURCE: Mapping[str, str] = {
    "assign": (
        "option('subscribe', ...) reads whole topics; where('partition IN (0, 1)') shows some of "
        "their partitions"
    ),
    "minpartitions": "option('maxRecordsPerPartition', ...) has more Spark tasks read a partition",
    "minoffsetspertrigger": _LARGER_BATCHES,
    "maxtriggerdelay": _LARGER_BATCHES,
    "startingoffsetsbytimestamp": (
        "option('startingTimestamp', ...) is one moment for all partitions, "
        "option('startingOffsets', ...) an offset for each"
    ),
    "endingoffsetsbytimestamp": (
        "option('endingTimestamp', ...) is one moment for all partitions, "
        "option('endingOffsets', ...) an offset for each"
    ),
    "startingoffsetsbytimestampstrategy": "leave it out",
    "groupidprefix": "leave it out: nothing is committed to a group",
    "fetchoffset.numretries": _AGAIN_BY_ITSELF,
    "fetchoffset.retryintervalms": _AGAIN_BY_ITSELF,
    "kafkaconsumer.polltimeoutms": _AGAIN_BY_ITSELF,
}
# Arguments of `penstock.spark.read` whose options have other names.
_ARGUMENTS: Mapping[str, str] = {
    "headers": "includeHeaders",
    "starting": "startingOffsets",
    "ending": "endingOffsets",
    "key": "keyType",
    "value": "valueType",
}
_CONSUMERS = ("consumer.", "main.consumer.", "restore.consumer.", "global.consumer.")


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


def check_use(options: Mapping[str, str], *uses: Use) -> None:
    """Refuse options that are of another use, or that would have no effect.

    Raises:
        ConfigError: it says of which, or what to say instead.
    """
    own = own_options(*uses)
    others: Mapping[str, Option] = {one.name.lower(): one for one in OPTIONS}
    for name, value in options.items():
        stranger = others.get(name.lower())
        if stranger is not None and name.lower() not in own:
            theirs = " and ".join(_WORDS[use] for use in stranger.uses)
            msg = f"option {stranger.name!r} is for {theirs}, not for {_WORDS[uses[0]]}"
            raise ConfigError(msg)
        if "state" not in uses:
            _check_path(name.lower(), value)
        if not set(uses).isdisjoint(_READS):
            _check_read(name, value)


def _check_path(name: str, value: str) -> None:
    # The path of a table of a catalogue is Spark's own.
    if name == "path" and "/" not in value:
        msg = (
            f"a topic is not named by load(...), save(...) or start(...); got {value!r}; say "
            f"option('topic', {value!r})"
        )
        raise ConfigError(msg)


def _check_read(name: str, value: str) -> None:
    if name.lower() in _OF_SPARKS_SOURCE:
        msg = (
            f"option {name!r} is one of Spark's own Kafka source, and not of format('penstock'); "
            f"{_OF_SPARKS_SOURCE[name.lower()]}"
        )
        raise ConfigError(msg)
    if name.lower() in _ARGUMENTS:
        msg = f"option {name!r} is not known; it is called {_ARGUMENTS[name.lower()]!r}"
        raise ConfigError(msg)
    setting = name.lower().removeprefix("kafka.")
    for prefix in _CONSUMERS:
        setting = setting.removeprefix(prefix)
    if setting == "auto.offset.reset":
        msg = (
            f"option {name!r} has no effect: where a read begins is said by "
            "option('startingOffsets', ...) or option('startingTimestamp', ...), and offsets that "
            "are gone by option('failOnDataLoss', ...)"
        )
        raise ConfigError(msg)
    if setting == "isolation.level" and value.strip() != "read_committed":
        msg = (
            f"option {name!r} must be read_committed: a batch that is run again must have the same "
            f"records, and those of open transactions may be taken back; got {value!r}"
        )
        raise ConfigError(msg)

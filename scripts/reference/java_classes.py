"""The public methods and settings of Kafka Streams, as `javap` tells them of the real jars."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable

from conformance.java import COORDINATES
from penstock._engine.kafka.local_broker import jars

_STREAMS = "org.apache.kafka.streams"
PACKAGES = {
    "": "KafkaStreams StreamsBuilder TestInputTopic TestOutputTopic Topology TopologyDescription "
    "TopologyTestDriver",
    ".errors": "DeserializationExceptionHandler ErrorHandlerContext ProcessingExceptionHandler "
    "ProductionExceptionHandler StreamsUncaughtExceptionHandler",
    ".kstream": "Branched BranchedKStream CogroupedKStream Consumed EmitStrategy GlobalKTable "
    "Grouped JoinWindows Joined KGroupedStream KGroupedTable KStream KTable Materialized Named "
    "Printed Produced Repartitioned SessionWindowedCogroupedKStream SessionWindowedKStream "
    "SessionWindows SlidingWindows StreamJoined Suppressed TableJoined "
    "TimeWindowedCogroupedKStream TimeWindowedKStream TimeWindows UnlimitedWindows "
    "ValueTransformerWithKey Window Windowed WindowedSerdes",
    ".processor": "Cancellable RecordContext StandbyUpdateListener StateRestoreListener "
    "StreamPartitioner TimestampExtractor",
    ".processor.api": "FixedKeyProcessor FixedKeyProcessorContext FixedKeyRecord "
    "MockProcessorContext ProcessingContext Processor ProcessorContext Record RecordMetadata",
    ".state": "AggregationWithHeaders KeyValueStore ReadOnlyKeyValueStore ReadOnlySessionStore "
    "ReadOnlyWindowStore RocksDBConfigSetter SessionStore StoreBuilder Stores ValueAndTimestamp "
    "ValueTimestampHeaders VersionedKeyValueStore VersionedRecord WindowStore",
    ".test": "TestRecord",
}
"""Which types are on the page, by their package."""

_OF_EVERY_OBJECT = {"equals", "hashCode", "toString"}
_METHOD = re.compile(r"^  public .*?\b(\w+)\([^)]*\)[^;]*;$", re.M)

_KEY = re.compile(r'^  public static final java.lang.String \w+_CONFIG = "([^"]+)";$', re.M)


def methods() -> dict[str, list[str]]:
    """Return the methods of each type, by its name.

    Raises:
        JarsError: Kafka's jars are not in the cache and cannot be fetched.
    """
    classes = {
        f"{_STREAMS}{package}.{name}": name
        for package, names in PACKAGES.items()
        for name in names.split()
    }
    for kind in ("BufferConfig", "StrictBufferConfig", "EagerBufferConfig"):
        classes[f"{_STREAMS}.kstream.Suppressed${kind}"] = "BufferConfig"
    classes["org.apache.kafka.common.serialization.Serdes"] = "Serdes"
    found: dict[str, set[str]] = {}
    for (path, name), told in zip(classes.items(), _told_of(classes), strict=True):
        constructor = re.split(r"[.$]", path)[-1]
        own = set(_METHOD.findall(told)) - _OF_EVERY_OBJECT - {constructor}
        found.setdefault(name, set()).update(own)
    return {name: sorted(own) for name, own in found.items()}


def settings() -> list[str]:
    """Return the keys of Java's settings."""
    (told,) = _told_of([f"{_STREAMS}.StreamsConfig"], "-constants")
    return sorted(set(_KEY.findall(told)))


def has_javap() -> bool:
    """Return whether there is a JDK here."""
    return shutil.which("javap") is not None


def _told_of(classes: Iterable[str], *options: str) -> list[str]:
    """Return what javap says of each class."""
    classpath = os.pathsep.join(str(path) for path in jars.resolve(COORDINATES))
    done = subprocess.run(
        ["javap", "-public", *options, "-classpath", classpath, *classes],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split("Compiled from ")[1:]

"""What Java's methods are called here where it is not the same name in snake_case.

A text that begins with "no: " says why there is none.
"""

from __future__ import annotations

_FLUENT = "no: options are dataclasses; read the field"


def _options(owner: str, **fields: str) -> dict[str, str]:
    """Spell the fluent methods of an option class as keyword arguments."""
    return {method: f"{owner}({field}=...)" for method, field in fields.items()}


OURS = {
    "ProcessingContext": "ProcessorContext",
    "ReadOnlyKeyValueStore": "KeyValueStore",
    "ReadOnlyWindowStore": "WindowStore",
    "ReadOnlySessionStore": "SessionStore",
}
"""Java's types that are one with another here."""

NO_TYPE = {
    "StreamPartitioner": "a function `(topic, key, value, partitions)`",
    "TimestampExtractor": "a function `(record, partition_time)`; see `penstock.timestamps`",
    "RocksDBConfigSetter": "a function `(store_name, settings)`, given as `rocksdb.config.setter`",
    "StreamsUncaughtExceptionHandler": "a function of the failure that gives an `UncaughtResponse`",
    "Serdes": "functions of `penstock.serdes`",
    "WindowedSerdes": "functions of `penstock.serdes`",
}
"""Types that are something simpler here."""

NAMES: dict[str, dict[str, str]] = {
    "KStream": {"foreach": "KStream.for_each"},
    "Branched": {
        "as": "Branched(name=...)",
        **_options("Branched", withFunction="function", withConsumer="consumer", withName="name"),
    },
    "Consumed": {
        "as": "Consumed(name=...)",
        "with": "Consumed(key=..., value=...)",
        **_options(
            "Consumed",
            withKeySerde="key",
            withValueSerde="value",
            withTimestampExtractor="timestamp_extractor",
            withOffsetResetPolicy="offset_reset",
            withName="name",
        ),
    },
    "Produced": {
        "as": "Produced(name=...)",
        "with": "Produced(key=..., value=...)",
        "keySerde": "Produced(key=...)",
        "valueSerde": "Produced(value=...)",
        "streamPartitioner": "Produced(partitioner=...)",
        **_options(
            "Produced",
            withKeySerde="key",
            withValueSerde="value",
            withStreamPartitioner="partitioner",
            withName="name",
        ),
    },
    "Grouped": {
        "as": "Grouped(name=...)",
        "with": "Grouped(key=..., value=...)",
        "keySerde": "Grouped(key=...)",
        "valueSerde": "Grouped(value=...)",
        **_options("Grouped", withKeySerde="key", withValueSerde="value", withName="name"),
    },
    "Joined": {
        "as": "Joined(name=...)",
        "with": "Joined(key=..., value=..., other_value=...)",
        "keySerde": "Joined(key=...)",
        "valueSerde": "Joined(value=...)",
        "otherValueSerde": "Joined(other_value=...)",
        "gracePeriod": "Joined(grace=...)",
        **_options(
            "Joined",
            withKeySerde="key",
            withValueSerde="value",
            withOtherValueSerde="other_value",
            withGracePeriod="grace",
            withName="name",
        ),
    },
    "StreamJoined": {
        "as": "StreamJoined(name=...)",
        "with": "StreamJoined(key=..., value=..., other_value=...)",
        "withLoggingDisabled": "StreamJoined(logging=False)",
        **_options(
            "StreamJoined",
            withKeySerde="key",
            withValueSerde="value",
            withOtherValueSerde="other_value",
            withStoreName="store_name",
            withDslStoreSuppliers="store",
            withThisStoreSupplier="this_store",
            withOtherStoreSupplier="other_store",
            withLoggingEnabled="logging",
            withName="name",
        ),
    },
    "TableJoined": {
        "as": "TableJoined(name=...)",
        "with": "TableJoined(partitioner=..., other_partitioner=...)",
        **_options(
            "TableJoined",
            withPartitioner="partitioner",
            withOtherPartitioner="other_partitioner",
            withName="name",
        ),
    },
    "Materialized": {
        "as": "Materialized(name=...)",
        "with": "Materialized(key=..., value=...)",
        "withCachingEnabled": "Materialized(caching=True)",
        "withCachingDisabled": "Materialized(caching=False)",
        "withLoggingDisabled": "Materialized(logging=False)",
        **_options(
            "Materialized",
            withKeySerde="key",
            withValueSerde="value",
            withLoggingEnabled="logging",
            withRetention="retention",
            withStoreType="store",
        ),
    },
    "Named": {"as": "Named(name=...)", "withName": "Named(name=...)"},
    "Printed": {
        "withLabel": "Printed.to_sys_out(label=...)",
        "withKeyValueMapper": "Printed.to_sys_out(mapper=...)",
        "withName": "Printed.to_sys_out(name=...)",
    },
    "Repartitioned": {
        "as": "Repartitioned(name=...)",
        "with": "Repartitioned(key=..., value=...)",
        "streamPartitioner": "Repartitioned(partitioner=...)",
        "numberOfPartitions": "Repartitioned(partitions=...)",
        **_options(
            "Repartitioned",
            withKeySerde="key",
            withValueSerde="value",
            withNumberOfPartitions="partitions",
            withStreamPartitioner="partitioner",
            withName="name",
        ),
    },
    "Suppressed": {"withName": "Suppressed.until_window_closes(name=...)"},
    "BufferConfig": {
        "withMaxRecords": "BufferConfig.max_records",
        "withMaxBytes": "BufferConfig.max_bytes",
        "withLoggingEnabled": "BufferConfig.logging",
    },
    "EmitStrategy": {"type": "EmitStrategy.on_close"},
    "TimeWindows": {
        "ofSizeWithNoGrace": "TimeWindows.of_size",
        "ofSizeAndGrace": "TimeWindows.of_size(grace=...)",
        "advanceBy": "TimeWindows.of_size(advance=...)",
        "size": "TimeWindows.size_ms",
        "gracePeriodMs": "TimeWindows.grace_ms",
    },
    "SlidingWindows": {
        "ofTimeDifferenceWithNoGrace": "SlidingWindows.of_time_difference",
        "ofTimeDifferenceAndGrace": "SlidingWindows.of_time_difference(grace=...)",
        "timeDifferenceMs": "SlidingWindows.difference_ms",
        "gracePeriodMs": "SlidingWindows.grace_ms",
    },
    "SessionWindows": {
        "ofInactivityGapWithNoGrace": "SessionWindows.of_inactivity_gap",
        "ofInactivityGapAndGrace": "SessionWindows.of_inactivity_gap(grace=...)",
        "inactivityGap": "SessionWindows.gap_ms",
        "gracePeriodMs": "SessionWindows.grace_ms",
    },
    "JoinWindows": {
        "ofTimeDifferenceWithNoGrace": "JoinWindows.of_time_difference",
        "ofTimeDifferenceAndGrace": "JoinWindows.of_time_difference(grace=...)",
        "of": "no: deprecated in Java, with other results; `JoinWindows.of_time_difference`",
        "grace": "no: deprecated in Java; `JoinWindows.of_time_difference(grace=...)`",
        "before": "JoinWindows.of_time_difference(before=...)",
        "after": "JoinWindows.of_time_difference(after=...)",
        "size": "JoinWindows.size_ms",
        "gracePeriodMs": "JoinWindows.grace_ms",
    },
    "UnlimitedWindows": {
        "startOn": "UnlimitedWindows.of(start=...)",
        "size": "UnlimitedWindows.size_ms",
        "gracePeriodMs": "UnlimitedWindows.grace_ms",
    },
    "Window": {
        "startTime": "no: times are milliseconds; `Window.start`",
        "endTime": "no: times are milliseconds; `Window.end`",
        "overlap": "no: a `Window` is a plain pair",
    },
    "Windowed": {"window": "no: `Windowed.start` and `Windowed.end`"},
    "WindowedSerdes": {
        "timeWindowedSerdeFrom": "serdes.time_windowed",
        "sessionWindowedSerdeFrom": "serdes.session_windowed",
    },
    "Serdes": {
        "Boolean": "serdes.boolean",
        "ByteArray": "serdes.bytes",
        "ByteBuffer": "no: `serdes.bytes` gives bytes",
        "Bytes": "serdes.bytes",
        "Double": "serdes.double",
        "Float": "serdes.float",
        "Integer": "serdes.integer",
        "ListSerde": "serdes.list_of",
        "Long": "serdes.long",
        "Short": "serdes.short",
        "String": "serdes.string",
        "UUID": "serdes.uuid",
        "Void": "serdes.void",
        "serdeFrom": "serdes.of",
    },
    "KafkaStreams": {
        "isPaused": "KafkaStreams.is_paused",
        "clientInstanceIds": "no: librdkafka has no such ids",
        "metadataForLocalThreads": "KafkaStreams.reports",
    },
    "Processor": {},
    "StreamPartitioner": {"partitions": "Produced(partitioner=...)"},
    "TimestampExtractor": {"extract": "Consumed(timestamp_extractor=...)"},
    "Stores": {
        "persistentTimestampedKeyValueStore": "Stores.timestamped_key_value_store",
        "persistentTimestampedKeyValueStoreWithHeaders": (
            "Stores.timestamped_key_value_store_with_headers"
        ),
        "persistentVersionedKeyValueStore": "Stores.versioned_key_value_store",
        "persistentTimestampedWindowStore": "Stores.timestamped_window_store",
        "persistentTimestampedWindowStoreWithHeaders": (
            "Stores.timestamped_window_store_with_headers"
        ),
        "persistentSessionStoreWithHeaders": "Stores.session_store_with_headers",
        "keyValueStoreBuilder": "Stores.key_value_store",
        "timestampedKeyValueStoreBuilder": "Stores.timestamped_key_value_store",
        "timestampedKeyValueStoreWithHeadersBuilder": (
            "Stores.timestamped_key_value_store_with_headers"
        ),
        "versionedKeyValueStoreBuilder": "Stores.versioned_key_value_store",
        "windowStoreBuilder": "Stores.window_store",
        "timestampedWindowStoreBuilder": "Stores.timestamped_window_store",
        "timestampedWindowStoreWithHeadersBuilder": "Stores.timestamped_window_store_with_headers",
        "sessionStoreBuilder": "Stores.session_store",
        "sessionStoreWithHeadersBuilder": "Stores.session_store_with_headers",
    },
    "StoreBuilder": {
        "withCachingEnabled": "Stores.key_value_store(caching=...)",
        "withCachingDisabled": "Stores.key_value_store(caching=...)",
        "withLoggingEnabled": "Stores.key_value_store(logging=...)",
        "withLoggingDisabled": "Stores.key_value_store(logging=...)",
        "build": "no: the runtime builds stores",
        "logConfig": "StoreBuilder.changelog_settings",
        "loggingEnabled": "StoreBuilder.logged",
    },
    "AggregationWithHeaders": {
        "make": "AggregationWithHeaders(aggregation=..., headers=...)",
        "makeAllowNullable": "AggregationWithHeaders(aggregation=..., headers=...)",
        "getAggregationOrNull": "AggregationWithHeaders.aggregation",
    },
    "ValueTimestampHeaders": {
        "make": "ValueTimestampHeaders(value=..., timestamp=..., headers=...)",
        "makeAllowNullable": "ValueTimestampHeaders(value=..., timestamp=..., headers=...)",
        "getValueOrNull": "ValueTimestampHeaders.value",
    },
    "ValueAndTimestamp": {
        "make": "ValueAndTimestamp(value=..., timestamp=...)",
        "makeAllowNullable": "ValueAndTimestamp(value=..., timestamp=...)",
        "getValueOrNull": "ValueAndTimestamp.value",
    },
    "RocksDBConfigSetter": {
        "setConfig": "no: the function itself",
        "close": "no: there are no objects to close",
    },
    "DeserializationExceptionHandler": {"handle": "no: deprecated in Java; `handle_error`"},
    "ProcessingExceptionHandler": {"handle": "no: deprecated in Java; `handle_error`"},
    "ProductionExceptionHandler": {
        "handle": "no: deprecated in Java; `handle_error`",
        "handleSerializationException": "no: deprecated in Java; `handle_serialization_error`",
    },
    "StreamsUncaughtExceptionHandler": {"handle": "KafkaStreams.set_uncaught_exception_handler"},
    "TestOutputTopic": {
        "readRecordsToList": "TestOutputTopic.read_records",
        "readKeyValuesToMap": "TestOutputTopic.read_key_values_to_dict",
        "readKeyValuesToList": "TestOutputTopic.read_key_values",
        "readValuesToList": "TestOutputTopic.read_values",
        "getQueueSize": "TestOutputTopic.queue_size",
    },
    "TestRecord": {
        "getHeaders": "TestRecord.headers",
        "getKey": "TestRecord.key",
        "getValue": "TestRecord.value",
        "getRecordTime": "TestRecord.timestamp",
    },
    "MockProcessorContext": {
        "recordCollector": "no: of Java's own machinery",
        "getStateStoreContext": "no: `MockProcessorContext.add_state_store` takes a ready store",
    },
}

NOT_FOR_USERS = {
    "Topology": {
        "add_global_store_nodes",
        "add_operation",
        "add_store",
        "add_sink_node",
        "add_source_node",
        "add_supplied_stores",
    },
    "TopologyDescription": set[str](),
    "StoreBuilder": {
        "engine",
        "follows_settings",
        "key",
        "kind",
        "max_entries",
        "other_value",
        "times",
        "value",
        "cached",
    },
    "BufferConfig": {"is_bounded", "when_full"},
    "Suppressed": {"buffer", "idle_after_ms", "limit_ms"},
    "ProcessingError": {"settled"},
}
"""Attributes that are public so that other modules of ours can read them."""

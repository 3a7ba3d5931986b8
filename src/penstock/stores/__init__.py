"""State stores: what a processor may keep, how to ask for one, and where its state lives.

`Stores` makes a `StoreBuilder`; the store protocols are what a processor gets of it. An engine of
your own is a `StoreEngine`: see `penstock.stores.engine`.
"""

from penstock.stores._builders import EngineChoice, Logging, StoreBuilder
from penstock.stores.engine import BytesReader, KeyRange, OpenEngine, StoreEngine, StorePlace
from penstock.stores.headers import (
    AggregationWithHeaders,
    SessionStoreWithHeaders,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStoreWithHeaders,
    ValueTimestampHeaders,
)
from penstock.stores.iterators import StoreIterator
from penstock.stores.restore_listener import StateRestoreListener, TopicPartition
from penstock.stores.standby_listener import StandbyUpdateListener, SuspendReason
from penstock.stores.suppliers import Stores
from penstock.stores.types import (
    NEWEST,
    NOT_PUT,
    KeyValueStore,
    SessionStore,
    TimestampedKeyValueStore,
    TimestampedWindowStore,
    ValueAndTimestamp,
    VersionedKeyValueStore,
    VersionedRecord,
    WindowStore,
)

__all__ = [
    "NEWEST",
    "NOT_PUT",
    "AggregationWithHeaders",
    "BytesReader",
    "EngineChoice",
    "KeyRange",
    "KeyValueStore",
    "Logging",
    "OpenEngine",
    "SessionStore",
    "SessionStoreWithHeaders",
    "StandbyUpdateListener",
    "StateRestoreListener",
    "StoreBuilder",
    "StoreEngine",
    "StoreIterator",
    "StorePlace",
    "Stores",
    "SuspendReason",
    "TimestampedKeyValueStore",
    "TimestampedKeyValueStoreWithHeaders",
    "TimestampedWindowStore",
    "TimestampedWindowStoreWithHeaders",
    "TopicPartition",
    "ValueAndTimestamp",
    "ValueTimestampHeaders",
    "VersionedKeyValueStore",
    "VersionedRecord",
    "WindowStore",
]

"""Interactive queries: read the stores of a running application. Java: KafkaStreams.store, query.

`KafkaStreams.store(name)` returns one of the views of `views.py`; `KafkaStreams.query(request)`
answers one of the queries of `requests.py` partition by partition (`results.py`); `metadata.py` has
what an application says about where its stores are.
"""

from penstock.queries.metadata import HostInfo, KeyQueryMetadata, LagInfo, StreamsMetadata
from penstock.queries.requests import (
    KeyQuery,
    MultiVersionedKeyQuery,
    Query,
    RangeQuery,
    StateQueryRequest,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    VersionedKeyQuery,
    WindowKeyQuery,
    WindowRangeQuery,
)
from penstock.queries.results import (
    FailureReason,
    Position,
    PositionBound,
    QueryResult,
    StateQueryResult,
)
from penstock.queries.views import (
    QueryIterator,
    ReadOnlyKeyValueStore,
    ReadOnlySessionStore,
    ReadOnlyVersionedStore,
    ReadOnlyWindowStore,
)
from penstock.queries.views import view_of as view_of

__all__ = [
    "FailureReason",
    "HostInfo",
    "KeyQuery",
    "KeyQueryMetadata",
    "LagInfo",
    "MultiVersionedKeyQuery",
    "Position",
    "PositionBound",
    "Query",
    "QueryIterator",
    "QueryResult",
    "RangeQuery",
    "ReadOnlyKeyValueStore",
    "ReadOnlySessionStore",
    "ReadOnlyVersionedStore",
    "ReadOnlyWindowStore",
    "StateQueryRequest",
    "StateQueryResult",
    "StreamsMetadata",
    "TimestampedKeyQuery",
    "TimestampedRangeQuery",
    "VersionedKeyQuery",
    "WindowKeyQuery",
    "WindowRangeQuery",
]

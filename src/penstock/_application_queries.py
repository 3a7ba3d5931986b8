"""The verbs of KafkaStreams that read the state of a running application."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

from penstock._durations import Duration, to_milliseconds
from penstock.errors import QueryError

if TYPE_CHECKING:
    from penstock._application_hosts import AnyHost
    from penstock._engine.queries.asking import ReadOptions
    from penstock.queries.metadata import KeyQueryMetadata, LagInfo, StreamsMetadata
    from penstock.queries.requests import StateQueryRequest
    from penstock.queries.results import StateQueryResult
    from penstock.settings import StreamsConfig

_QUERY_SECONDS = 10.0
# Waits of the operating system are limited; no question is of use for longer.
_QUERY_MS_MAX = 3_600_000
_QUERIED = "stores can be queried"

R = TypeVar("R")


class ApplicationQueries(ABC):
    """Reads stores and says which instance has them; an application adds how it is started."""

    _config: StreamsConfig

    @abstractmethod
    def _working_query(self, what: str) -> AnyHost:
        """Return the query of the running application; `what` needs it."""

    def store(
        self,
        name: str,
        *,
        uncommitted: bool | None = None,
        stale_ok: bool = False,
        partition: int | None = None,
        partitioner: Any = None,
        timeout: Duration | None = None,
    ) -> Any:
        """Return a read-only view of a store of the running application. Java: store.

        Under exactly-once the view shows committed state; `uncommitted` shows what Java shows, also
        what the open transaction has written. Under at-least-once that is what is shown unless
        `uncommitted` is False. While a task is restored or moves, `stale_ok` reads the copy that is
        the least behind, standby copies included; the view's `offsets_behind` says how far.
        A key is looked for where Kafka's default partitioner or that of the program puts it, and
        then in the other partitions; `partitioner` or `partition` say the only place. Tasks of
        other instances are asked for over HTTP.

        Raises:
            QueryError: there is no such store, or it cannot be queried.
            StoreNotReadyError: a task restores, moves or is busy.
        """
        from penstock.queries.views import view_of  # noqa: PLC0415

        query = self._working_query(_QUERIED)
        asking = query.asker, self._config, self._read_options(uncommitted, stale_ok, timeout)
        return view_of(query.stores, name, asking, partition, partitioner)

    def query(
        self, request: StateQueryRequest[R], *, timeout: Duration | None = None
    ) -> StateQueryResult[R]:
        """Return the result of a query of each partition of a store. Java: query.

        A partition that cannot answer has a `FailureReason` instead of a result; it is not asked
        again. Global stores answer, too, which they do not in Java.

        Raises:
            QueryError: there is no such store, or its serde does not take the key.
        """
        from penstock.queries.answering import answer  # noqa: PLC0415
        from penstock.queries.views import store_named  # noqa: PLC0415

        query = self._working_query(_QUERIED)
        options = self._read_options(request.uncommitted, not request.require_active, timeout)
        store = store_named(request.store, query.stores)
        return answer(request, store, (query.asker, self._config, options))

    def query_metadata_for_key(
        self, store: str, key: Any, partitioner: Any = None
    ) -> KeyQueryMetadata:
        """Return the partition of a key and the instance that has it. Java: queryMetadataForKey."""
        from penstock.queries.metadata import key_metadata  # noqa: PLC0415
        from penstock.queries.source import Source  # noqa: PLC0415
        from penstock.queries.views import store_named  # noqa: PLC0415

        query = self._working_query(_QUERIED)
        options = self._read_options(None, True, None)
        entry = store_named(store, query.stores)
        source = Source(entry, query.asker, self._config, options, partitioner=partitioner)
        return key_metadata(source, key, query.all_drivers())

    def streams_metadata_for_store(self, name: str) -> list[StreamsMetadata]:
        """Return the instances that have a part of a store. Java: streamsMetadataForStore."""
        from penstock.queries.views import store_named  # noqa: PLC0415

        store_named(name, self._working_query(_QUERIED).stores)
        return [
            one for one in self.metadata_for_all_streams_clients() if name in one.state_store_names
        ]

    def metadata_for_all_streams_clients(self) -> list[StreamsMetadata]:
        """Return the instances of the application, this one first, with the stores and input
        partitions of their tasks. Java: metadataForAllStreamsClients.

        Another instance is known when it has announced itself, a moment after its start, and until
        it ends; one that was killed for as long as the group keeps its members.
        """
        from penstock.queries.metadata import instance_metadata  # noqa: PLC0415

        query = self._working_query(_QUERIED)
        shared = [name for name, store in query.stores.items() if store.is_global]
        plans = query.plan.tasks
        return [instance_metadata(driver, plans, shared) for driver in query.all_drivers()]

    def all_local_store_partition_lags(self) -> dict[str, dict[int, LagInfo]]:
        """Return how far each store of this instance's workers is behind its changelog, by name and
        partition; of tasks that other instances run, how far the standby copies here are. Java:
        allLocalStorePartitionLags.

        Raises:
            StoreNotReadyError: a worker does not answer in time.
            StreamsError: the cluster does not answer.
        """
        from penstock.queries.metadata import partition_lags  # noqa: PLC0415

        query = self._working_query(_QUERIED)
        return partition_lags(
            query.stores.values(),
            query.local_asker,
            self._read_options(None, True, None),
            query.changelog_ends,
        )

    def _read_options(
        self, uncommitted: bool | None, stale_ok: bool, timeout: Duration | None
    ) -> ReadOptions:
        from penstock._engine.queries.asking import ReadOptions  # noqa: PLC0415

        seconds = _QUERY_SECONDS
        if timeout is not None:
            milliseconds = to_milliseconds(timeout, "timeout")
            if milliseconds < 1:
                msg = (
                    f"timeout must be at least 1 ms; got {timeout!s}; pass how long to wait for an "
                    "answer, or leave it out"
                )
                raise QueryError(msg)
            seconds = min(milliseconds, _QUERY_MS_MAX) / 1000
        seen = not self._config.exactly_once if uncommitted is None else uncommitted
        return ReadOptions(seen, stale_ok, seconds)

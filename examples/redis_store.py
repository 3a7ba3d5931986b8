"""State in Redis: visits of pages in, counts per page and minute out, kept by an engine of our own.

    pip install redis
    REDIS_URL=redis://localhost:6379 penstock run examples/redis_store.py

In another terminal, visit a page and see what comes out:

    echo 'home=ada' | penstock produce visits --separator =
    penstock consume visits-per-minute

The engine is all it takes, and serves stores of every kind: `store=RedisEngine.at(url)`. What it
must do is said in `penstock.state`. A task that moves to another machine finds its state in Redis.
"""

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from redis import Redis, WatchError

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    TimeWindows,
    Topology,
    serdes,
)
from penstock.errors import StateClosedError, StateLockedError
from penstock.state import OpenEngine, StoreEngine, StorePlace

# A hash has the values, a sorted set the keys in the order of their bytes. Scripts run alone, so
# that what they read is of one moment; a command takes a few thousand arguments at most.
READ = """
local keys = redis.call(ARGV[1], KEYS[2], ARGV[2], ARGV[3])
local found = {}
for first = 1, #keys, 1000 do
    local last = math.min(first + 999, #keys)
    for at, value in ipairs(redis.call('HMGET', KEYS[1], unpack(keys, first, last))) do
        table.insert(found, {keys[first + at - 1], value})
    end
end
return found
"""
DROP = """
local keys = redis.call('ZRANGEBYLEX', KEYS[2], ARGV[1], ARGV[2])
for first = 1, #keys, 1000 do
    redis.call('HDEL', KEYS[1], unpack(keys, first, math.min(first + 999, #keys)))
end
return redis.call('ZREMRANGEBYLEX', KEYS[2], ARGV[1], ARGV[2])
"""
CHUNK = 1_000


class RedisEngine(StoreEngine):
    """The state of one store of one task, in Redis."""

    def __init__(self, place: StorePlace, *, url: str) -> None:
        # The braces keep the keys of one store together on one node of a cluster.
        name = f"{{{place.application_id}/{place.task_id}/{place.store}}}"
        self._name = name
        self._entries, self._order = f"{name}:entries", f"{name}:order"
        self._offset, self._owner = f"{name}:offset", f"{name}:owner"
        self._client: Any = Redis.from_url(url)
        self._token = secrets.token_bytes(16)
        self._client.set(self._owner, self._token)  # from now on nobody else may write

    @classmethod
    def at(cls, url: str) -> OpenEngine:
        """Give what opens engines in the Redis of that address."""
        return partial(cls, url=url)

    def get(self, key: bytes) -> bytes | None:
        value: bytes | None = self._redis.hget(self._entries, key)
        return value

    def scan(
        self, start: bytes | None, end: bytes | None, *, reverse: bool
    ) -> Iterator[tuple[bytes, bytes]]:
        lowest = b"-" if start is None else b"[" + start
        highest = b"+" if end is None else b"(" + end
        if reverse:
            found = self._run(READ, "ZREVRANGEBYLEX", highest, lowest)
        else:
            found = self._run(READ, "ZRANGEBYLEX", lowest, highest)
        return self._while_open(found)

    def approximate_num_entries(self) -> int:
        return int(self._redis.zcard(self._order))

    def write(
        self,
        changes: Mapping[bytes, bytes | None],
        changelog_offset: int | None,
        dropped: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        entries, order = self._entries, self._order
        puts = [(key, value) for key, value in changes.items() if value is not None]
        deletes = [key for key, value in changes.items() if value is None]
        with self._redis.pipeline() as commit:
            commit.watch(self._owner)
            if commit.get(self._owner) != self._token:
                raise self._lost()
            commit.multi()  # from here to `execute`: all or nothing, and only if still the owner
            for first in range(0, len(puts), CHUNK):
                some = dict(puts[first : first + CHUNK])
                commit.hset(entries, mapping=some)
                commit.zadd(order, dict.fromkeys(some, 0))
            for first in range(0, len(deletes), CHUNK):
                commit.hdel(entries, *deletes[first : first + CHUNK])
                commit.zrem(order, *deletes[first : first + CHUNK])
            for start, end in dropped:
                commit.eval(DROP, 2, entries, order, b"[" + start, b"(" + end)
            if changelog_offset is not None:
                commit.set(self._offset, str(changelog_offset))
            try:
                commit.execute()
            except WatchError:
                raise self._lost() from None

    def changelog_offset(self) -> int | None:
        offset = self._redis.get(self._offset)
        return None if offset is None else int(offset)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def destroy(self) -> None:
        """Delete the state and close."""
        self._redis.unlink(self._entries, self._order, self._offset, self._owner)
        self.close()

    @property
    def _redis(self) -> Any:
        if self._client is None:
            msg = f"the store {self._name} in Redis was used after it was closed"
            raise StateClosedError(msg)
        return self._client

    def _run(self, script: str, *arguments: bytes | str) -> list[tuple[bytes, bytes]]:
        found: list[tuple[bytes, bytes]] = self._redis.eval(
            script, 2, self._entries, self._order, *arguments
        )
        return found

    def _while_open(self, found: list[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
        for key, value in found:
            assert self._redis
            yield key, value

    def _lost(self) -> StateLockedError:
        msg = f"the store {self._name} in Redis has been opened by somebody else, who has it now"
        return StateLockedError(msg)


text, number = serdes.string(), serdes.long()


def visits_per_minute(redis_url: str) -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("visits", Consumed(key=text, value=text))
        .group_by_key(Grouped(key=text, value=text))
        .windowed_by(TimeWindows.of_size(60_000))
        .count(Materialized("minutes", key=text, value=number, store=RedisEngine.at(redis_url)))
        .to_stream(lambda window, count: f"{window.key} at {window.start // 60_000}")
        .map_values(str)
        .to("visits-per-minute", Produced(key=text, value=text))
    )
    return builder.build()


topology = visits_per_minute(os.environ.get("REDIS_URL", "redis://localhost:6379"))

if __name__ == "__main__":
    settings = {"application.id": "visits", "processing.guarantee": "exactly_once_v2"}
    KafkaStreams(topology, settings).run()

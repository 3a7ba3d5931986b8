"""The Redis example, in the test driver, against a real server. Its engine: tests/stores."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

pytest.importorskip("redis", reason="the Redis example needs the package redis")

from examples.redis_store import RedisEngine, text, visits_per_minute
from penstock.errors import StateLockedError
from penstock.stores import StorePlace
from penstock.stores._open_engine import destroy_state
from penstock.testing import TopologyTestDriver
from tests.stores import redis_server

pytestmark = redis_server.needs_redis


def test_visits_are_counted_per_minute_and_nothing_is_left_behind() -> None:
    address = redis_server.address()
    before = keys(address)
    with TopologyTestDriver(visits_per_minute(address)) as driver:
        visits = driver.create_input_topic("visits", text, text)
        counts = driver.create_output_topic("visits-per-minute", text, text)
        for seconds, page in ((0, "home"), (59, "home"), (60, "home"), (61, "shop")):
            visits.pipe_input(page, "ada", timestamp=seconds * 1000)
        assert counts.read_key_values() == [
            *(("home at 0", "1"), ("home at 0", "2"), ("home at 1", "1"), ("shop at 1", "1"))
        ]
        assert len(keys(address)) > len(before)
    assert keys(address) == before


def test_the_former_owner_of_the_state_cannot_write(tmp_path: Path) -> None:
    opens = pickle.loads(pickle.dumps(RedisEngine.at(redis_server.address())))
    place = StorePlace(str(tmp_path), "0_1", "counts", tmp_path)
    zombie = opens(place)
    zombie.write({b"a": b"1"}, 1)
    owner = opens(place)
    assert (owner.get(b"a"), owner.changelog_offset()) == (b"1", 1)
    owner.write({b"a": b"2"}, 2)
    with pytest.raises(StateLockedError, match="opened by somebody else"):
        zombie.write({b"a": b"late"}, 2)
    assert owner.get(b"a") == b"2"
    zombie.close()
    owner.close()
    destroy_state(opens, place)
    empty = opens(place)
    assert (empty.get(b"a"), empty.changelog_offset()) == (None, None)
    empty.destroy()


def keys(address: str) -> set[bytes]:
    from redis import Redis  # noqa: PLC0415 - it may be absent

    with Redis.from_url(address) as client:
        return set(client.keys())

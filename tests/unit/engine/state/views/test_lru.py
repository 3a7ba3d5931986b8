"""A store of limited size. Against Java: the conformance cases `lru_map_*`."""

from __future__ import annotations

from penstock import Stores, serdes
from tests.stores.bench import Bench
from tests.stores.engines import ENGINES


def bench_of(entries: int) -> Bench:
    text = serdes.string()
    builder = Stores.lru_map("s", max_entries=entries, key=text, value=text)
    return Bench(builder, ENGINES["memory"])


def test_the_key_used_longest_ago_gives_way() -> None:
    store = bench_of(2).face
    store.put("a", "1")
    store.put("b", "2")
    assert store.get("a") == "1"
    store.put("c", "3")
    assert list(store.all()) == [("a", "1"), ("c", "3")]
    assert store.approximate_num_entries() == 2


def test_a_deleted_key_leaves_room() -> None:
    store = bench_of(2).face
    store.put("a", "1")
    store.put("b", "2")
    store.delete("a")
    store.put("c", "3")
    assert list(store.all()) == [("b", "2"), ("c", "3")]


def test_it_is_as_small_when_it_is_restored_and_knows_what_is_old() -> None:
    bench = bench_of(2)
    for key in "abab":
        bench.face.put(key, key)
    bench.face.put("c", "c")
    bench.commit()
    restored = bench.restored(1).face
    assert list(restored.all()) == [("b", "b"), ("c", "c")]
    restored.put("d", "d")
    assert list(restored.all()) == [("c", "c"), ("d", "d")]

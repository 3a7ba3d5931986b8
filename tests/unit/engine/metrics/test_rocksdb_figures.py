"""Rates, ratios and times of RocksDB's statistics."""

from __future__ import annotations

from dataclasses import dataclass

from penstock._engine.metrics.catalogue import CATALOGUE
from penstock._engine.metrics.rocksdb_figures import RocksDbFigures


@dataclass
class Told:
    """A statistic."""

    count: int
    sum: int = 0
    largest: float = 0.0


def test_rates_and_totals() -> None:
    figures = RocksDbFigures(0.0)
    figures.values({"bytes.written": Told(100)}, 5.0)
    values = figures.values({"bytes.written": Told(300), "stall.micros": Told(2500)}, 10.0)
    assert (values["bytes-written-rate"], values["bytes-written-total"]) == (30.0, 300)
    assert values["write-stall-duration-total"] == 2.5
    assert values["bytes-read-rate"] == 0.0
    assert "bytes-read-total" not in values


def test_ratios_are_left_out_without_reads() -> None:
    figures = RocksDbFigures(0.0)
    read = {"memtable.hit": Told(3), "memtable.miss": Told(1)}
    values = figures.values({**read, "block.cache.data.hit": Told(0)}, 1.0)
    assert values["memtable-hit-ratio"] == 0.75
    assert "block-cache-data-hit-ratio" not in values
    # Over a minute later these reads are forgotten.
    assert "memtable-hit-ratio" not in figures.values(read, 100.0)


def test_times_are_of_the_last_minute_and_in_milliseconds() -> None:
    figures = RocksDbFigures(0.0)
    assert "compaction-time-avg" not in figures.values({"compaction.times.micros": Told(0)}, 1.0)
    values = figures.values({"compaction.times.micros": Told(2, 6000, 5000.0)}, 2.0)
    assert (values["compaction-time-avg"], values["compaction-time-max"]) == (3.0, 5.0)
    assert values["compaction-time-min"] == 3.0
    values = figures.values({"compaction.times.micros": Told(3, 7000, 5000.0)}, 3.0)
    assert values["compaction-time-min"] == 1.0
    values |= figures.values({"db.write.stall": Told(4, 8000, 5000.0)}, 3.0)
    assert (values["write-stall-duration-avg"], values["number-open-files"]) == (2.0, -1)
    assert set(values) <= CATALOGUE["stream-state-metrics"].keys()

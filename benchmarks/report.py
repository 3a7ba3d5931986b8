"""The tables that are printed: text from results, no measuring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.contenders import (
    AT_LEAST_ONCE,
    BACKFILLS,
    BEFORE,
    BEFORE_TITLE,
    CONTENDERS,
    EXACTLY_ONCE,
    STARTS,
)
from benchmarks.figures import memory_per_million_keys
from benchmarks.processes import PARTS
from benchmarks.workloads import WORKLOADS

Row = Sequence[str]

BOUNDED_WAYS = {
    "topology": "the topology",
    "by-hand": "a loop by hand, mapInArrow",
    "sql-every-update": "Spark SQL, every update",
    "sql-last-row": "Spark SQL, last rows only",
}


def report(results: Mapping[str, Any]) -> str:
    """Return all tables for which there are results."""
    parts = [
        throughput(results.get("throughput", {})),
        exactly_once(results.get("throughput", {})),
        costs(results.get("throughput", {})),
        memory(results.get("throughput", {})),
        latency(results.get("latency", {})),
        restoring(results.get("restore", {})),
        growth("partitions", results.get("growth-partitions", {})),
        growth("keys", results.get("growth-keys", {})),
        backfill(results),
        bounded(results.get("bounded", {})),
        startup(results),
        skipped(results.get("skipped", {})),
    ]
    return "\n\n".join(part for part in parts if part)


def throughput(results: Mapping[str, Any]) -> str:
    """Return a line per workload and guarantee, a column per contender."""
    names = present(results)
    if not names:
        return ""
    rows = [("workload", "guarantee", *(CONTENDERS[name].title for name in names))]
    notes: list[str] = []
    for workload in (name for name in WORKLOADS if name in results):
        for guarantee, entries in sorted(results[workload].items(), reverse=True):
            cells = (rate_cell(entries.get(name), entries.get("java")) for name in names)
            rows.append((WORKLOADS[workload].title, guarantee.replace("_", " "), *cells))
            notes += _notes(workload, guarantee, entries)
    head = (
        "Throughput: records per second in which the machine was ours, median of the rounds, "
        "± half the spread, (ratio to Java)"
    )
    limits = filter(None, (CONTENDERS[name].limits() for name in names))
    return "\n".join([head, *aligned(rows), *notes, *limits])


def exactly_once(results: Mapping[str, Any]) -> str:
    """Return what part of its at-least-once speed each has left, where both took turns."""
    rows: list[Row] = []
    names = [name for name in ("penstock", "java") if name in present(results)]
    for workload in (name for name in WORKLOADS if name in results):
        pairs = [side_by_side(results[workload], name) for name in names]
        if all(pairs):
            left = (f"{ratio(*pair):.0%}" for pair in pairs if pair)
            rows.append((WORKLOADS[workload].title, *left))
    head = "Exactly-once: what is left of the speed of at-least-once, in one run"
    titles = ("workload", *(CONTENDERS[name].title for name in names))
    return "\n".join([head, *aligned([titles, *rows])]) if rows else ""


def side_by_side(
    guarantees: Mapping[str, Any], name: str
) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """Return a contender's measurements, exactly-once and at-least-once, if both were taken in one
    run: the same machine is half as fast at another hour.
    """
    exact = guarantees.get(EXACTLY_ONCE, {}).get(name)
    at_least = guarantees.get(AT_LEAST_ONCE, {}).get(name)
    return (exact, at_least) if exact and at_least and same_run(exact, at_least) else None


def memory(results: Mapping[str, Any]) -> str:
    """Return the highest memory of each process of Penstock and Java, exactly-once."""
    rows: list[Row] = []
    for workload in (name for name in WORKLOADS if name in results):
        entries = results[workload].get(EXACTLY_ONCE, {})
        for name in ("penstock", "java"):
            parts = entries.get(name, {}).get("memory_by_part_mb")
            if parts:
                shown = (f"{parts[part]:,}" if part in parts else "-" for part in PARTS)
                rows.append((WORKLOADS[workload].title, CONTENDERS[name].title, *shown))
    head = "Memory by process, exactly-once, MB, each at its highest"
    titles = ("workload", "contender", "first process", "Spark's JVM", "Python workers")
    return "\n".join([head, *aligned([titles, *rows])]) if rows else ""


def costs(results: Mapping[str, Any]) -> str:
    """Return what the same runs took beside time: a line per workload and guarantee."""
    names = present(results)
    if not names:
        return ""
    rows: list[Row] = [("workload", "guarantee", *(CONTENDERS[name].title for name in names))]
    for workload in (name for name in WORKLOADS if name in results):
        for guarantee, entries in sorted(results[workload].items(), reverse=True):
            cells = (cost_cell(entries.get(name)) for name in names)
            rows.append((WORKLOADS[workload].title, guarantee.replace("_", " "), *cells))
    head = "Costs: start to first result, highest memory, processor time for a million records"
    return "\n".join([head, *aligned(rows)])


def cost_cell(entry: Mapping[str, Any] | None) -> str:
    """Show what one measurement took."""
    if entry is None:
        return "-"
    mb, processor = entry["memory_mb"], entry["cpu_s_per_million"]
    return f"{entry['first_result_s']:.1f} s, {mb:,.0f} MB, {processor:.1f} s"


def present(results: Mapping[str, Any]) -> list[str]:
    """Return the contenders that have a measurement, in their usual order."""
    found = {
        name for workload in results.values() for entries in workload.values() for name in entries
    }
    return [name for name in CONTENDERS if name in found]


def rate_cell(entry: Mapping[str, Any] | None, java: Mapping[str, Any] | None) -> str:
    """Show one measurement. A star: Java was measured in another run, an exclamation mark: the
    result was not Java's.
    """
    if entry is None:
        return "-"
    text = f"{entry['median']:,} ±{entry['spread_percent']:.0f}%"
    if java is not None and entry is not java:
        text += f" ({ratio(entry, java):.2f}{'' if same_run(entry, java) else '*'})"
    return text if entry.get("equal_to_java") is not False else text + " !"


def ratio(entry: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Return how many times the other's median."""
    return float(entry["median"] / other["median"])


def same_run(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two measurements took turns."""
    return bool(one["measured"]["run"] == other["measured"]["run"])


def _notes(workload: str, guarantee: str, entries: Mapping[str, Any]) -> list[str]:
    return [
        f"! {workload}, {guarantee}, {name}: {entry['difference']}"
        for name, entry in entries.items()
        if entry.get("difference")
    ]


def latency(results: Mapping[str, Any]) -> str:
    """Return a line per rate and contender."""
    rows: list[Row] = [("records/s", "contender", "p50", "p95", "p99", "max")]
    for rate, entries in sorted(results.items(), key=lambda item: int(item[0])):
        for name in (name for name in CONTENDERS if name in entries):
            shown = (f"{entries[name][part]:.1f}" for part in ("p50", "p95", "p99", "max"))
            rows.append((rate, CONTENDERS[name].title, *shown))
    head = "Latency, exactly-once, ms from due to be sent to visible to a read_committed consumer"
    return "" if len(rows) == 1 else "\n".join([head, *aligned(rows)])


def restoring(results: Mapping[str, Any]) -> str:
    """Return a line per contender."""
    rows = [("contender", "changelog", "restored in", "MB/s", "records/s", "restart with state")]
    for name in (name for name in CONTENDERS if name in results):
        entry = results[name]
        rows.append(
            (
                CONTENDERS[name].title,
                f"{entry['changelog_mb']} MB",
                f"{entry['restore_s']} s",
                f"{entry['mb_per_s']}",
                f"{entry['records_per_s']:,}",
                f"{entry['restart_intact_s']} s",
            )
        )
    return "" if len(rows) == 1 else "\n".join(["Restoring a store", *aligned(rows)])


def growth(what: str, results: Mapping[str, Any]) -> str:
    """Return a line per size: rates, memory and time to the first result."""
    sizes = sorted(results, key=int)
    names = [name for name in CONTENDERS if any(name in results[size] for size in sizes)]
    if not names:
        return ""
    titles = [CONTENDERS[name].title for name in names]
    rows = [(what, *titles, *(f"{title}: MB" for title in titles), "")]
    for size in sizes:
        entries = results[size]
        rates = (rate_cell(entries.get(name), entries.get("java")) for name in names)
        memory = (f"{entries[name]['memory_mb']:.0f}" if name in entries else "-" for name in names)
        rows.append((f"{int(size):,}", *rates, *memory, ""))
    lines = [f"Count by key, exactly-once, with more {what}", *aligned(rows)]
    if what == "keys":
        lines += [_per_million(name, results) for name in names]
    return "\n".join(lines)


def backfill(results: Mapping[str, Any]) -> str:
    """Return a line per contender, then the memory of backfills of different sizes."""
    rows: list[Row] = [("workload", "contender", "records/s", "whole run", "memory")]
    known = {**BACKFILLS, **CONTENDERS}
    for workload, entries in results.get("backfill", {}).items():
        for name in (name for name in known if name in entries):
            entry = entries[name]
            rate = rate_cell(entry, entries.get("java"))
            whole, memory = f"{entry['whole_s']:.1f} s", f"{entry['memory_mb']:,.0f} MB"
            rows.append((WORKLOADS[workload].title, known[name].title, rate, whole, memory))
    memory_by_size = sorted(results.get("backfill-memory", {}).items(), key=lambda one: int(one[0]))
    lines = [
        f"{int(records):,} records: driver {entry['driver']:,} MB, JVM {entry['jvm']:,} MB, "
        f"Python workers {entry['workers']:,} MB"
        for records, entry in memory_by_size
    ]
    head = "History: a backfill beside live runs from the topic's beginning, exactly-once"
    tables = [head, *aligned(rows)] if len(rows) > 1 else []
    return "\n".join([*tables, *lines])


def bounded(results: Mapping[str, Any]) -> str:
    """Return a line per number of cores and way to count, with the time of many rows on paper."""
    rows: list[Row] = [("cores", "way", "rows/s", "us of a row", "10 million", "100 million")]
    for cores, entry in sorted(results.items(), key=lambda one: int(one[0])):
        for name, title in BOUNDED_WAYS.items():
            if name in entry:
                rate = entry[name]["per_second"]
                far = (f"{million * 1e6 / rate:,.0f} s" for million in (10, 100))
                rows.append((cores, title, f"{rate:,}", str(entry[name]["cpu_us"]), *far))
    head = "Files: a count by key over Parquet, Spark's start not in it; many rows extrapolated"
    return "\n".join([head, *aligned(rows)]) if len(rows) > 1 else ""


def startup(results: Mapping[str, Any]) -> str:
    """Return a line per way to start."""
    titles = {name: one.title for name, one in {**CONTENDERS, **STARTS}.items()}
    titles[BEFORE] = BEFORE_TITLE
    rows: list[Row] = [("contender", "first start", "processor", "after a crash", "processor")]
    for name in (name for name in titles if name in results.get("startup", {})):
        entry = results["startup"][name]
        parts = ("first_s", "first_cpu_s", "after_crash_s", "after_crash_cpu_s")
        cells = (f"{entry[part]:.1f} s" if part in entry else "" for part in parts)
        rows.append((titles[name], *cells))
    head = "From a start to the first committed result, exactly-once, medians"
    return "\n".join([head, *aligned(rows)]) if len(rows) > 1 else ""


def _per_million(name: str, results: Mapping[str, Any]) -> str:
    memory = {int(size): row[name]["memory_mb"] for size, row in results.items() if name in row}
    return f"{CONTENDERS[name].title}: {memory_per_million_keys(memory)} MB per million keys"


def skipped(reasons: Mapping[str, str]) -> str:
    """Say what was not measured, and why."""
    return "\n".join(f"skipped {what}: {reason}" for what, reason in sorted(reasons.items()))


def aligned(rows: Sequence[Row]) -> list[str]:
    """Set rows in columns."""
    columns = max(map(len, rows))
    widths = [max(len(row[column]) for row in rows) for column in range(columns)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]

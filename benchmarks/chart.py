"""The picture of the throughputs: bars of ratios to Java, as SVG text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from benchmarks.contenders import CONTENDERS
from benchmarks.report import present, ratio
from benchmarks.workloads import WORKLOADS

COLOURS: Final = {
    "penstock": "#0b7285",
    "java": "#adb5bd",
    "quix": "#e8590c",
    "faust": "#5f3dc4",
    "bytewax": "#f08c00",
    "pathway": "#2b8a3e",
    "pyspark": "#c2255c",
}
LEFT, WIDTH, RIGHT = 210, 520, 150
BAR, GAP, TOP = 15, 12, 74


def chart(results: Mapping[str, Any], guarantee: str) -> str:
    """Draw a group of bars per workload; Java is 1. Empty if there is nothing to compare."""
    groups = _groups(results, guarantee)
    if not groups:
        return ""
    names = [name for name in CONTENDERS if any(name in dict(bars) for _, bars in groups)]
    longest = max(value for _, bars in groups for _, (value, _) in bars)
    scale = WIDTH / max(1.25, longest * 1.05)
    body, y = [], TOP
    for title, bars in groups:
        middle = y + len(bars) * BAR / 2 + 4
        body.append(
            f'<text x="{LEFT - 10}" y="{middle:.0f}" text-anchor="end">{escape(title)}</text>'
        )
        for name, (value, rate) in bars:
            body += _bar(name, value, rate, y, scale)
            y += BAR
        y += GAP
    return "\n".join(_frame(names, guarantee, y, LEFT + scale, body)) + "\n"


def _groups(
    results: Mapping[str, Any], guarantee: str
) -> list[tuple[str, list[tuple[str, tuple[float, int]]]]]:
    groups = []
    for workload in (name for name in WORKLOADS if name in results):
        entries = results[workload].get(guarantee, {})
        java = entries.get("java")
        if java is None or len(entries) < 2:
            continue
        bars = [
            (name, (ratio(entries[name], java), entries[name]["median"]))
            for name in present({workload: {guarantee: entries}})
        ]
        groups.append((WORKLOADS[workload].title, bars))
    return groups


def _bar(name: str, value: float, rate: int, y: int, scale: float) -> list[str]:
    length = value * scale
    label = f"{rate:,}/s" if name == "java" else f"{value:.2f} x ({rate:,}/s)"
    return [
        f'<rect x="{LEFT}" y="{y + 1}" width="{length:.1f}" height="{BAR - 2}" rx="2" '
        f'fill="{COLOURS[name]}"/>',
        f'<text class="small" x="{LEFT + length + 6:.1f}" y="{y + BAR - 4}">{label}</text>',
    ]


def _frame(
    names: Sequence[str], guarantee: str, height: int, java_x: float, body: Sequence[str]
) -> list[str]:
    width = LEFT + WIDTH + RIGHT
    legend, x = [], LEFT
    for name in names:
        title = CONTENDERS[name].title
        legend.append(
            f'<rect x="{x}" y="44" width="12" height="12" rx="2" fill="{COLOURS[name]}"/>'
        )
        legend.append(f'<text class="small" x="{x + 17}" y="54">{escape(title)}</text>')
        x += 34 + round(len(title) * 6.4)
    width = max(width, x)
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
        "<style>text { fill: #212529 } .small { font-size: 11px; fill: #495057; "
        "paint-order: stroke; stroke: white; stroke-width: 3px }</style>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="26" font-size="16" font-weight="bold">Throughput as a multiple of '
        f"Java Kafka Streams, {guarantee.replace('_', ' ')}</text>",
        *legend,
        f'<line x1="{java_x:.1f}" y1="{TOP - 6}" x2="{java_x:.1f}" y2="{height - 4}" '
        'stroke="#868e96" stroke-dasharray="4 3"/>',
        *body,
        "</svg>",
    ]

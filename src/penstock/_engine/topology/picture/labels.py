"""The two lines of text on a shape of the SVG, and their width.

A generated name (`KSTREAM-FILTER-0000000003`) becomes its verb with the name below; a name of the
user's stays, with its kind below. Fonts are not known here, so widths are estimated for a wide
font, and text that might not fit loses its middle.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from penstock._engine.topology.picture.scene import Kind, Shape

HEADLINE_PX = 13.0
CAPTION_PX = 9.0

_WIDTH_MIN = 72.0
_WIDTH_MAX = 232.0
# More characters never fit, however narrow.
_LENGTH_MAX = 64
_ELLIPSIS = "\u2026"

# Widths in em. Any character in no group counts as a small letter.
_MONOSPACE_EM = 0.605
_SMALL_EM = 0.72
_CAPITAL_EM = 0.85
_FULL_EM = 1.3
_LAST_LATIN = "\u024f"
_OTHER_EM = dict.fromkeys("fijlrtI.,:;'|!()[]{}-/ ", 0.5) | dict.fromkeys("mwMW@%&+=<>#~^", 1.12)

_CAPTIONS = {
    Kind.SOURCE: "source",
    Kind.PROCESSOR: "processor",
    Kind.SINK: "sink",
    Kind.DYNAMIC_SINK: "sink",
    Kind.STORE: "state store",
    Kind.TOPIC: "topic",
    Kind.INTERNAL_TOPIC: "internal topic",
    Kind.TOPIC_PATTERN: "topics by pattern",
    Kind.DYNAMIC_TOPIC: "topic chosen per record",
}

_OWNER = "(?:KSTREAM|KTABLE|COGROUPKSTREAM)-(?:FK-JOIN-)?"
_NODE_NAME = re.compile(rf"{_OWNER}([A-Z-]+)-\d{{10}}(.*)")
_STORE_NAME = re.compile(rf"({_OWNER})?(.+?)-(?:STATE-STORE-\d{{10}}|\d{{10}}-store)")
_TOPIC_NAME = re.compile(rf"{_OWNER}([A-Z-]+)-\d{{10}}-(repartition|changelog|topic)")
_VERBS = {
    "FLATMAP": "flat_map",
    "FLATMAPVALUES": "flat_map_values",
    "FOREACH": "for_each",
    "JOINOTHER": "join other",
    "JOINTHIS": "join this",
    "KEY-SELECT": "select_key",
    "LEFTJOIN": "left_join",
    "MAPVALUES": "map_values",
    "OUTEROTHER": "outer join other",
    "OUTERSHARED": "outer join shared",
    "OUTERTHIS": "outer join this",
    "PRINTER": "print",
    "PROCESSOR": "process",
    "PROCESSVALUES": "process_values",
    "SELECT": "group_by",
    "TOSTREAM": "to_stream",
    "TOTABLE": "to_table",
    "TRANSFORMVALUES": "transform_values",
    "WINDOWED": "window",
}


@dataclass(frozen=True, slots=True)
class TextSizes:
    """How large the two lines are drawn."""

    headline_px: float = HEADLINE_PX
    caption_px: float = CAPTION_PX


_SIZES = TextSizes()


@dataclass(frozen=True, slots=True)
class Label:
    """A bold line and a small line beneath; both fit into `width`."""

    headline: str
    caption: str
    width: float


def label_of(shape: Shape, sizes: TextSizes = _SIZES) -> Label:
    """Choose the two lines for `shape` and shorten them."""
    headline_of = partial(headline_width, size_px=sizes.headline_px)
    caption_of = partial(caption_width, size_px=sizes.caption_px)
    text = " ".join(shape.text.split())
    if shape.kind is Kind.DYNAMIC_TOPIC:
        text = text.rpartition("<locals>.")[2]
    words = in_words(shape.kind, text)
    headline = _shortened(words or text, headline_of)
    caption = _shortened(text if words else _CAPTIONS[shape.kind], caption_of)
    width = max(_WIDTH_MIN, headline_of(headline), caption_of(caption))
    return Label(headline, caption, 2.0 * math.ceil(width / 2))


def headline_width(text: str, size_px: float = HEADLINE_PX) -> float:
    """Estimate the width of a bold line, rather too wide than too narrow."""
    return size_px * sum(map(_em, text))


def caption_width(text: str, size_px: float = CAPTION_PX) -> float:
    """Estimate the width of a small line, whose font is monospaced."""
    return size_px * sum(_FULL_EM if _is_full(char) else _MONOSPACE_EM for char in text)


def in_words(kind: Kind, name: str) -> str | None:
    """Return a generated name in words; None if the user gave it."""
    if kind is Kind.STORE:
        store = _STORE_NAME.fullmatch(name)
        return f"{_verb(store[2]) if store[1] else store[2]} store" if store else None
    if kind in {Kind.TOPIC, Kind.INTERNAL_TOPIC}:
        topic = _TOPIC_NAME.fullmatch(name)
        return (_verb(topic[1]) if topic[2] == "topic" else topic[2]) if topic else None
    if kind is Kind.PROCESSOR and name.startswith("KTABLE-SOURCE-"):
        return "table"
    node = _NODE_NAME.fullmatch(name)
    if node is None:
        return None
    ending = node[2].strip("-")
    if node[1] == "BRANCH" or not ending:
        return f"{_verb(node[1])} {ending}".strip()
    return ending


def _verb(part: str) -> str:
    return _VERBS.get(part, part.lower().replace("-", " "))


def _shortened(text: str, width_of: Callable[[str], float]) -> str:
    """Shorten a text in its middle: names differ at their ends."""
    if width_of(text) <= _WIDTH_MAX:
        return text
    kept = min(len(text), _LENGTH_MAX)
    shortened = text
    while width_of(shortened) > _WIDTH_MAX:
        kept -= 1
        shortened = text[: kept - kept // 2] + _ELLIPSIS + text[len(text) - kept // 2 :]
    return shortened


def _em(char: str) -> float:
    if _is_full(char):
        return _FULL_EM
    return _OTHER_EM.get(char, _CAPITAL_EM if char.isupper() else _SMALL_EM)


def _is_full(char: str) -> bool:
    """Return whether a character is beyond the Latin ones, which counts as full width."""
    return char > _LAST_LATIN

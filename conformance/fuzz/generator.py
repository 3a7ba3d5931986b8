"""Draws a program at random; the same number always gives the same program."""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Any

from conformance.fuzz import group_verbs, inputs, join_verbs, stream_verbs, table_verbs
from conformance.fuzz.description import Description
from conformance.fuzz.draft import Draft
from conformance.fuzz.stream_verbs import Verb

# What is stateful has more to go wrong.
_HEAVY = {**group_verbs.VERBS, **table_verbs.VERBS, **join_verbs.VERBS}

VERBS: dict[str, Verb] = {**stream_verbs.VERBS, **_HEAVY}

_CACHES = (0, 0, 10_000_000, 10_000_000, 600)

_OPTIMIZATIONS = (
    "reuse.ktable.source.topics",
    "merge.repartition.topics",
    "single.store.self.join",
    "merge.repartition.topics,reuse.ktable.source.topics",
)

FEATURES = ("optimization", "versions", "failures", "header_stores")
"""What a program may have besides verbs."""


def generate(seed: int, only: Collection[str] = (*VERBS, *FEATURES)) -> Description:
    """Draw the program of a number, of the verbs and features in `only`."""
    chance = random.Random(seed)
    unit, cache = chance.choice([1, 1, 10, 1000, 20_000]), chance.choice(_CACHES)
    draft = Draft(chance, unit, only, cache, fails="failures" in only and chance.random() < 0.1)
    drawn = [verb for verb in VERBS if verb in only]
    if chance.random() < 0.5:
        # A few verbs only, so that the same ones meet again and again.
        drawn = chance.sample(drawn, min(len(drawn), 5))
    weights = [3 if verb in _HEAVY else 1 for verb in drawn]
    for verb in chance.choices(drawn, weights, k=chance.choice([1, 2, 3, 4, 6, 9])):
        VERBS[verb](draft)
    _finish(draft)
    return Description(draft.steps, inputs.draw(draft), _config(draft, only))


def _finish(draft: Draft) -> None:
    """Let everything that was drawn be seen: end groups in tables, tables in topics."""
    for kind in ("cogrouped", "grouped", "grouped_table", "windowed", "windowed_cogrouped"):
        for node in draft.existing(kind, lambda node: node.id not in draft.used):
            group_verbs.aggregation(draft, node)
    for node in draft.existing("table", lambda node: node.id not in draft.used):
        table_verbs.to_stream(draft, node)
    for node in draft.existing("stream", lambda node: node.id not in draft.used):
        stream_verbs.to(draft, node)
    if not draft.nodes:
        stream_verbs.to(draft)


def _config(draft: Draft, only: Collection[str]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if draft.fails:
        config["processing.exception.handler"] = "continue"
    if cache := draft.cache_bytes:
        # Beside windows that are emitted on close, a cache that overflows lets go of other windows
        # than Java's: there it is never small.
        closing = any(step.get("emit") == "close" for step in draft.steps)
        config["statestore.cache.max.bytes"] = max(_CACHES) if closing else cache
    if draft.chance(0.3) and "optimization" in only:
        config["topology.optimization"] = draft.pick(["all", "all", *_OPTIMIZATIONS])
    if draft.chance(0.2) and "header_stores" in only:
        config["dsl.store.format"] = "HEADERS"
    return config

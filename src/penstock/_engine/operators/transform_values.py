"""transform_values: the values of a table through a transformer that may keep state. Java:
KTableTransformValues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock._engine.operators.rows import kept_rows
from penstock._engine.operators.site import Process, Site
from penstock._engine.operators.transformer import TransformerContext
from penstock._engine.topology.deferred_calls import refuse_deferred_methods
from penstock._engine.topology.nodes.table_nodes import TableTransformValues
from penstock.record import Change, HeaderPairs


def transform_table_values(operation: TableTransformValues, site: Site) -> Process:
    """Transform the value of each row; the transformer is called for deletions too."""
    transformer = operation.supplier()
    refuse_deferred_methods(transformer, "init", "transform", "close")
    context = TransformerContext(site.context, looks_up=False)
    site.on_init(lambda: transformer.init(context))
    site.on_close(transformer.close)
    if operation.store is None:
        return _bare(operation, site, transformer.transform, context)
    return _stored(operation, site, transformer.transform, context)


def _bare(
    operation: TableTransformValues,
    site: Site,
    transform: Callable[[Any, Any], Any],
    context: TransformerContext,
) -> Process:
    """Forward the transformed values; the old value is transformed a second time."""
    forward, failed, enter_task, enter = site.forward, site.failed, site.enter, context.enter
    sends_old, versioned = operation.sends_old_values, operation.is_versioned

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            enter_task(timestamp, headers)
            enter(timestamp, headers)
            new = transform(key, change[0])
            old = transform(key, change[1]) if sends_old else None
            made = (new, old, change[2]) if versioned else (new, old)
            forward(key, made, timestamp, context.changed_headers())
        except Exception as error:
            failed(error, key, Change(change[0], change[1]), timestamp, headers)

    return process


def _stored(
    operation: TableTransformValues,
    site: Site,
    transform: Callable[[Any, Any], Any],
    context: TransformerContext,
) -> Process:
    """Store the transformed values; the store also has the old value."""
    assert operation.store is not None
    rows = kept_rows(operation, operation.store, site)
    encode_key, read, value_of, keep = rows.encode_key, rows.read, rows.value_of, rows.keep
    failed, enter_task, enter = site.failed, site.enter, context.enter
    sends_old = operation.sends_old_values

    def process(key: Any, change: Any, timestamp: int, headers: HeaderPairs) -> None:
        try:
            enter_task(timestamp, headers)
            enter(timestamp, headers)
            new = transform(key, change[0])
            raw_key = encode_key(key)
            old = value_of(read(raw_key)) if sends_old else None
            left = context.changed_headers()
            keep(key, raw_key, new, old, timestamp, timestamp, left)
        except Exception as error:
            failed(
                rows.explained(error, key), key, Change(change[0], change[1]), timestamp, headers
            )

    return process

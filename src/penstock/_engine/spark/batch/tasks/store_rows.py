"""What the stores of a task hold at the end, as rows."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from penstock._engine.runtime.stores.task_stores import TaskStore
from penstock._engine.spark.batch.tasks.rows import Rows


def add_store_rows(store: TaskStore, partition: int, rows: Rows) -> Iterator[pa.RecordBatch]:
    """Add the rows of a store; give what has become too much to keep."""
    if store.rows is None:
        return
    place = store.name, partition
    for key, value, timestamp, start, end in store.rows():
        rows.add_store_row(place, key, value, timestamp, (start, end))
        if rows.is_full:
            yield rows.take()

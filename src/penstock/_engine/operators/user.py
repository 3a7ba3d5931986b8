"""The user's own processors: here key, value, timestamp and headers become a `Record`."""

from __future__ import annotations

from typing import Any

from penstock._engine.operators.site import Process, Site
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock.record import FixedKeyRecord, HeaderPairs, Record


def user_processor(operation: nodes.UserProcessor, site: Site) -> Process:
    """Run a new processor of the user. Each record it gets is its own: no other node sees headers
    that it changes.
    """
    processor = operation.supplier()
    make_record: type[FixedKeyRecord[Any, Any]] = FixedKeyRecord if operation.fixed_key else Record
    take, failed, enter = processor.process, site.failed, site.enter
    site.on_init(lambda: processor.init(site.context))
    site.on_close(processor.close)

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        enter(timestamp, headers)
        try:
            take(make_record(key, value, timestamp, headers))
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    return process

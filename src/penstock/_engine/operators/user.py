"""The user's own processors: here key, value, timestamp and headers become a `Record`."""

from __future__ import annotations

from typing import Any

from penstock._engine.operators.site import Process, Site
from penstock._engine.topology.deferred_calls import refuse_deferred_methods, refuse_deferred_work
from penstock._engine.topology.nodes import stream_nodes as nodes
from penstock.record import NO_KEY, FixedKeyRecord, HeaderPairs, Record


def user_processor(operation: nodes.UserProcessor, site: Site) -> Process:
    """Run a new processor of the user. Each record it gets is its own: no other node sees headers
    that it changes.
    """
    processor = operation.supplier()
    # Again, for each instance: a supplier may return another class than when it was checked.
    refuse_deferred_methods(processor, "init", "process", "close")
    take, failed, enter = processor.process, site.failed, site.enter
    context: Any = site.context
    site.on_init(lambda: processor.init(site.context))
    site.on_close(processor.close)

    def process(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        enter(timestamp, headers)
        try:
            returned = take(Record(key, value, timestamp, headers))
            if returned is not None:
                refuse_deferred_work(returned, f"{type(processor).__name__}.process")
        except Exception as error:
            failed(error, key, value, timestamp, headers)

    def process_values(key: Any, value: Any, timestamp: int, headers: HeaderPairs) -> None:
        enter(timestamp, headers)
        context.key_in_hand = key
        try:
            record = FixedKeyRecord(key, value, timestamp, headers)
            record._given_key = key
            returned = take(record)
            if returned is not None:
                refuse_deferred_work(returned, f"{type(processor).__name__}.process")
        except Exception as error:
            failed(error, key, value, timestamp, headers)
        finally:
            context.key_in_hand = NO_KEY

    return process_values if operation.fixed_key else process

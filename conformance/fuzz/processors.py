"""Verbs of a described program that take code of the user's own; `DescribedProcessors.java` is the
twin. Their stores hold strings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.fuzz import functions, options
from conformance.fuzz.description import Step
from conformance.fuzz.functions import text
from penstock import (
    FixedKeyProcessor,
    FixedKeyRecord,
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    StreamsBuilder,
    ValueTransformerWithKey,
    serdes,
)
from penstock.stores import Stores


def process(step: Step, stream: Any, builder: StreamsBuilder) -> Any:
    """Add the step's store and apply its processor."""
    name = _add_store(step["store"], builder)
    supplier: Any
    if step["verb"] == "process_values":
        supplier = _with(_CounterOfValues, store=name)
    elif step["f"] == "hold":
        supplier = _with(_Holder, store=name, timer=step["timer"])
    else:
        supplier = _with(_Counter, store=name)
    verb = getattr(stream, step["verb"])
    return verb(supplier, named=step.get("named"), state_stores=[name])


def transform_values(step: Step, table: Any, builder: StreamsBuilder) -> Any:
    """Add the step's store, if it has one, and apply its transformer."""
    stores = [_add_store(step["store"], builder)] if "store" in step else []
    mapper = staticmethod(functions.KEY_MAPPERS[step["f"]])
    supplier = _with(_Transformer, mapper=mapper, store=stores[0] if stores else None)
    materialized = options.given(step, "materialized")
    return table.transform_values(
        supplier, materialized, named=step.get("named"), state_stores=stores
    )


def _add_store(option: dict[str, Any], builder: StreamsBuilder) -> str:
    """Add a store unless another step has done it, and give its name."""
    name: str = option["name"]
    if "shared" in option:
        return name
    make = {
        "in_memory": Stores.in_memory_key_value_store,
        "rocksdb": Stores.persistent_key_value_store,
    }[option["store"]]
    builder.add_state_store(
        make(
            name,
            key=serdes.string(),
            value=serdes.string(),
            caching=option.get("caching", False),
            logging=option.get("logging", True),
        )
    )
    return name


def _with(kind: type, **attributes: Any) -> type:
    """Give the class with what all its objects have."""
    return type(kind.__name__, (kind,), attributes)


def _count(counts: Any, key: Any) -> int:
    known = counts.get(text(key))
    count = 1 if known is None else int(known) + 1
    counts.put(text(key), str(count))
    return count


class _Counter(Processor[Any, Any, Any, Any]):
    """Replaces each value by how many records its key has had."""

    store: str

    def process(self, record: Record[Any, Any]) -> None:
        counts = self.context.get_state_store(self.store)
        self.context.forward(record.with_value(_count(counts, record.key)))


class _CounterOfValues(FixedKeyProcessor[Any, Any, Any]):
    """The same for a stream whose keys stay."""

    store: str

    def process(self, record: FixedKeyRecord[Any, Any]) -> None:
        counts = self.context.get_state_store(self.store)
        self.context.forward(record.with_value(_count(counts, record.key)))


class _Holder(Processor[Any, Any, Any, Any]):
    """Holds the latest value of each key back until a timer fires."""

    store: str
    timer: dict[str, Any]

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        self._held = context.get_state_store(self.store)
        types = {"stream": PunctuationType.STREAM_TIME, "wall": PunctuationType.WALL_CLOCK_TIME}
        context.schedule(self.timer["interval"], types[self.timer["kind"]], self._release)

    def process(self, record: Record[Any, Any]) -> None:
        self._held.put(text(record.key), text(record.value))

    def _release(self, time: int) -> None:
        for key, value in list(self._held.all()):
            self.context.forward(Record(key, value, time))
            self._held.delete(key)


class _Transformer(ValueTransformerWithKey[Any, Any, Any]):
    """Applies a function; with a store, each third value of a key is lost."""

    mapper: Callable[[Any, Any], Any]
    store: str | None

    def transform(self, key: Any, value: Any) -> Any:
        if self.store is not None:
            counts = self.context.get_state_store(self.store)
            if _count(counts, key) % 3 == 0:
                return None
        return self.mapper(key, value)

"""Pickles an application for the executors; an error names the node that cannot be pickled."""

from __future__ import annotations

import io
from dataclasses import fields
from typing import Any

from pyspark import cloudpickle

from penstock._engine.control.module_paths import WithPaths
from penstock._engine.planner.blueprint import Blueprint
from penstock._engine.planner.plan import SubtopologyPlan
from penstock._engine.spark.shipping.annotations import CACHES, spelled_annotations
from penstock._engine.spark.shipping.dict_enum_classes import reduce_dict_or_enum
from penstock._engine.spark.shipping.main_script_objects import reduce_main_script_object
from penstock._engine.spark.shipping.sentinels import (
    SentinelPlaces,
    find_sentinel,
    looks_like_sentinel,
)
from penstock._engine.spark.shipping.struct_classes import must_be_sent, reduce_struct
from penstock._engine.topology.checks import shown
from penstock._engine.topology.nodes.stream_nodes import Node, ProcessorNode
from penstock.errors import TopologyError
from penstock.serdes.documents import JsonSerde


def pack(blueprint: Blueprint) -> bytes:
    """Pickle an application.

    Raises:
        TopologyError: a node or a store cannot be pickled; the message names the first.
    """
    try:
        return dumps(blueprint)
    except Exception as error:
        _refuse_engines(blueprint)
        culprit = _find_culprit(blueprint)
        if culprit is None:
            msg = f"the application cannot be shipped to Spark's workers: {error}"
            raise TopologyError(msg) from error
        node, holder, why = culprit
        place = f" (defined at {node.location})" if node.location else ""
        msg = (
            f"node {node.name!r}{place} cannot be shipped to Spark's workers: {shown(holder)} "
            f"holds something that cannot be pickled ({why}); make it where it "
            "is used, for example in Processor.init"
        )
        raise TopologyError(msg) from error


def _plans(blueprint: Blueprint) -> list[SubtopologyPlan]:
    plans = [task.subtopology for task in blueprint.tasks]
    return plans if blueprint.global_stores is None else [*plans, blueprint.global_stores]


def _refuse_engines(blueprint: Blueprint) -> None:
    """Raise TopologyError if the engine of a store cannot be pickled."""
    for store in (store for plan in _plans(blueprint) for store in plan.stores.values()):
        engine = store.builder.engine
        try:
            dumps(engine)
        except Exception as error:
            msg = (
                f"store {store.builder.name!r} cannot be shipped to Spark's workers: its engine "
                f"{engine!r} holds something that cannot be pickled ({error}); connect where the "
                "engine is opened: when it is called with its place"
            )
            raise TopologyError(msg) from error


_CloudPickler: Any = cloudpickle.Pickler
# How to make a class, what to set then, and how; a class that is found by name has fewer.
_PARTS_OF_A_CLASS = 6


class _ShippingPickler(_CloudPickler):  # type: ignore[misc]
    """cloudpickle that keeps the identity of sentinels, and sends those objects of a main script
    that cloudpickle cannot.
    """

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self._sentinels = SentinelPlaces()

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type):
            special = reduce_struct(obj) if must_be_sent(obj) else reduce_dict_or_enum(obj)
            return special or _with_meaning(obj, super().reducer_override(obj))
        if isinstance(obj, JsonSerde):
            return obj.reduce_with_classes()
        if looks_like_sentinel(obj) and (place := self._sentinels.find(obj)) is not None:
            return find_sentinel, (*place, type(obj))
        if type(obj) not in self.dispatch_table:
            reduced = reduce_main_script_object(obj)
            if reduced is not None:
                return reduced
        return super().reducer_override(obj)


def _with_meaning(cls: type, reduced: Any) -> Any:
    """Return the reduction of a class by cloudpickle; of one that is sent whole, with annotations
    that workers understand and without caches.
    """
    if not isinstance(reduced, tuple) or len(reduced) != _PARTS_OF_A_CLASS:
        return reduced
    make, made_from, (members, slots), *rest = reduced
    kept = {name: member for name, member in members.items() if name not in CACHES}
    if "__annotations__" in kept:
        kept["__annotations__"] = spelled_annotations(cls)
    return make, made_from, (kept, slots), *rest


def dumps(value: object) -> bytes:
    """Pickle any value for workers, which find the driver's modules as the driver does; raise
    whatever pickling raises.
    """
    target = io.BytesIO()
    _ShippingPickler(target).dump(WithPaths(value))
    return target.getvalue()


def _find_culprit(blueprint: Blueprint) -> tuple[Node, Any, str] | None:
    for plan in _plans(blueprint):
        for node in plan.nodes:
            holder = node.operation if isinstance(node, ProcessorNode) else node
            for name in (entry.name for entry in fields(holder)):
                part = getattr(holder, name)
                try:
                    dumps(part)
                except Exception as error:
                    return node, part, str(error)
    return None

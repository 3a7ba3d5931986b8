"""The data sources that PySpark would find, registered by name instead.

The first time that a Python data source is used, Spark starts a Python process that imports every
top-level module whose name begins with `pyspark_`. In a session that we start, where all of these
are our own, there is nothing to find: that saves 1.5 s of CPU before the first worker.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from pyspark.sql import SparkSession

_log = logging.getLogger(__name__)

_PREFIX = "pyspark_"
_OWN = {"penstock": "pyspark_penstock", "penstock-state": "pyspark_penstock_state"}
"""Our data sources, and the modules in which PySpark would find them."""


class SourceOfModule:
    """Stands for the data source of a module, which is imported where the source is used."""

    def __init__(self, name: str, module: str) -> None:
        self._name, self._module = name, module

    def name(self) -> str:
        """Return the name of its format."""
        return self._name

    def __reduce__(self) -> tuple[Any, ...]:
        return _source_of, (self._module,)


def register_known(session: SparkSession) -> None:
    """Register our data sources and keep Spark from looking for others, if there are none."""
    if not only_own(module.name for module in iter_modules()):
        return
    try:
        sources = _FoundSources(session)
        if not sources.known:
            sources.set_none()
    except Exception as error:  # another version of Spark
        _log.debug("Spark looks for data sources itself: %s", error)
        return
    try:
        for name, module in _OWN.items():
            session.dataSource.register(SourceOfModule(name, module))  # type: ignore[arg-type]
    except Exception:
        sources.forget()
        raise


def forget_known(session: SparkSession) -> None:
    """Have Spark look for data sources again: what we registered ends with our session, and the
    JVM may serve others after it.
    """
    with suppress(Exception):  # another version of Spark, or a JVM that is gone
        _FoundSources(session).forget()


def only_own(modules: Iterable[str]) -> bool:
    """Return whether all modules that PySpark would import are ours."""
    return {name for name in modules if name.startswith(_PREFIX)} <= set(_OWN.values())


class _FoundSources:
    """What Spark has found. Scala: DataSourceManager.dataSourceBuilders."""

    def __init__(self, session: SparkSession) -> None:
        jvm: Any = session.sparkContext._jvm
        self._jvm = jvm
        manager = getattr(jvm.org.apache.spark.sql.execution.datasources, "DataSourceManager$")
        self._manager = getattr(manager, "MODULE$")

    @property
    def known(self) -> bool:
        return not self._manager.dataSourceBuilders().isEmpty()

    def set_none(self) -> None:
        """Say that Spark has looked and found nothing."""
        nothing = getattr(getattr(self._jvm.scala.collection.immutable, "Map$"), "MODULE$").empty()
        self._set(self._jvm.scala.Some(nothing))

    def forget(self) -> None:
        """Have Spark look when it needs a source."""
        self._set(getattr(getattr(self._jvm.scala, "None$"), "MODULE$"))

    def _set(self, found: Any) -> None:
        getattr(self._manager, "dataSourceBuilders_$eq")(found)


def _source_of(module: str) -> Any:
    return import_module(module).DefaultSource

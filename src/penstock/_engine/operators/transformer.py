"""Transformers of `transform_values` and their context. Java: ValueTransformerWithKey and
ForwardingDisabledProcessorContext.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from penstock._camel_case import ExplainsCamelCase
from penstock._durations import Duration
from penstock._engine.operators.site import Site
from penstock.errors import StreamsError
from penstock.metrics import StreamsMetrics
from penstock.processor import Cancellable, ProcessorContext, PunctuationType, Punctuator
from penstock.record import HeaderPairs, Headers, RecordMetadata
from penstock.serdes import Serde

_NOWHERE = RecordMetadata(None, -1, -1)


class TransformerContext(ExplainsCamelCase):
    """The context of a transformer: that of its node, the record's time and headers; no forward.

    `looks_up`: the value comes from a store, so its topic and offset are unknown.
    """

    _spoken_name = "TransformerContext"

    __slots__ = ("_context", "_given_headers", "_headers", "_looks_up", "timestamp")

    def __init__(self, context: ProcessorContext[Any, Any], *, looks_up: bool) -> None:
        self._context = context
        self._looks_up = looks_up
        self.timestamp = -1
        self._given_headers: HeaderPairs = ()
        self._headers: Headers | None = None

    def enter(self, timestamp: int, headers: HeaderPairs) -> None:
        """Set the record in hand."""
        self.timestamp = timestamp
        self._given_headers = headers
        self._headers = None

    def changed_headers(self) -> HeaderPairs:
        """Return the headers of the record as the transformer left them."""
        return self._given_headers if self._headers is None else tuple(self._headers)

    @property
    def headers(self) -> Headers:
        if self._headers is None:
            self._headers = Headers(self._given_headers)
        return self._headers

    @property
    def application_id(self) -> str:
        return self._context.application_id

    @property
    def task_id(self) -> str:
        return self._context.task_id

    @property
    def key_serde(self) -> Serde[Any]:
        return self._context.key_serde

    @property
    def value_serde(self) -> Serde[Any]:
        return self._context.value_serde

    @property
    def state_dir(self) -> Path:
        return self._context.state_dir

    @property
    def metrics(self) -> StreamsMetrics:
        return self._context.metrics

    @property
    def record_metadata(self) -> RecordMetadata:
        return _NOWHERE if self._looks_up else self._context.record_metadata

    @property
    def current_stream_time_ms(self) -> int:
        return self._context.current_stream_time_ms

    @property
    def current_system_time_ms(self) -> int:
        return self._context.current_system_time_ms

    def forward(self, record: object, child: str | None = None) -> NoReturn:  # noqa: ARG002
        msg = (
            "a transformer of transform_values must not forward; return the new value from "
            f"transform(key, value); got {record!r}"
        )
        raise StreamsError(msg)

    def schedule(
        self,
        interval: Duration,
        type: PunctuationType,
        callback: Punctuator,
        *,
        start_time: int | None = None,
    ) -> Cancellable:
        return self._context.schedule(interval, type, callback, start_time=start_time)

    def commit(self) -> None:
        self._context.commit()

    def get_state_store(self, name: str) -> Any:
        return self._context.get_state_store(name)

    def app_configs(self) -> Mapping[str, Any]:
        return self._context.app_configs()

    def app_configs_with_prefix(self, prefix: str) -> Mapping[str, Any]:
        return self._context.app_configs_with_prefix(prefix)


def lookup_transformer(supplier: Callable[[], Any], site: Site) -> Callable[[Any, Any, int], Any]:
    """Return `transform(key, value, timestamp)` of a new transformer for looked-up rows."""
    transformer = supplier()
    context = TransformerContext(site.context, looks_up=True)
    site.on_init(lambda: transformer.init(context))
    site.on_close(transformer.close)
    transform, enter = transformer.transform, site.enter

    def transform_row(key: Any, value: Any, timestamp: int) -> Any:
        enter(timestamp, ())
        context.enter(timestamp, ())
        return transform(key, value)

    return transform_row

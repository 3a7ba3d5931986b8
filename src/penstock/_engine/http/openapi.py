"""The OpenAPI document of the server, and a page that shows it with nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.metadata import version
from typing import Any

from penstock._engine.http.parameters import LIMIT_DEFAULT, LIMIT_MAX

_TIME = "milliseconds since 1970, or a time with its zone"
_PARAMETERS: dict[str, tuple[str, str]] = {
    "from": ("string", "the first key, as JSON by the serde of the store; bytes as base64"),
    "to": ("string", "the last key, included"),
    "prefix": ("string", "what keys begin with: text of string keys, else base64; alone"),
    "reverse": ("boolean", "last first"),
    "limit": ("integer", f"rows of a page, {LIMIT_DEFAULT} unless said, at most {LIMIT_MAX:,}"),
    "cursor": ("string", "of the page before; the other parameters stay the same"),
    "time_from": (
        "string",
        f"windows from this start on, sessions that end then or later: {_TIME}",
    ),
    "time_to": ("string", f"windows and sessions that start up to then: {_TIME}"),
    "as_of": ("string", f"of a versioned store, the version of that time: {_TIME}"),
    "uncommitted": ("boolean", "also what the open transaction has written, as Java shows it"),
    "stale_ok": ("boolean", "also read copies that are being restored, and standby copies"),
    "partition": ("integer", "only this partition of the store"),
}
_OF_KEY = [name for name in _PARAMETERS if name not in {"from", "to", "prefix"}]
_OF_RANGE = [name for name in _PARAMETERS if name != "as_of"]
_ERRORS = {
    "400": "a word of the request is wrong",
    "401": "the token is missing or wrong",
    "403": "the Host header names another server",
    "404": "there is no such store or key",
    "405": "the state is only read",
    "410": "the cursor is too old or was used",
    "413": "the body is too large",
    "414": "the URL is too long",
    "431": "the header is too large",
    "503": "not ready or busy: ask again after Retry-After seconds",
}


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document."""
    name = _path_parameter("name", "the store")
    key = _path_parameter("key", "the key: JSON by the store's serde, a bare text, base64")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Penstock",
            "version": version("penstock"),
            "description": "The state of a running Kafka Streams application.",
        },
        "paths": {
            "/stores": _get("the stores of the application", "stores", "401 403"),
            "/stores/{name}": _get(
                "rows of a store in the order of its keys; windows and sessions task by task",
                "rows, the cursor of the next page, and the position: how far tasks had come",
                "400 401 403 404 410 503",
                [name, *map(_parameter, _OF_RANGE)],
            ),
            "/stores/{name}/{key}": _get(
                "the value of a key; of windows, sessions and versions between times, rows",
                "a row, or rows with a cursor and a position",
                "400 401 403 404 410 503",
                [name, key, *map(_parameter, _OF_KEY)],
            ),
            "/topology": _topology(),
            "/metadata": _get("where each part of each store is", "metadata", "401 403"),
            "/metrics": _get("the metrics as Prometheus text", "metrics", "401 403"),
            "/tasks": _get("the tasks: state, worker, driver, stores", "tasks", "401 403"),
            "/console/snapshot": _get(
                "all that the console shows, as one document", "sections", "401 403"
            ),
            "/console/graph": _get("the topology as boxes and arrows", "graph", "401 403"),
            "/health/live": _get("whether the application works or starts", "live", "503"),
            "/health/ready": _get(
                "whether it is RUNNING, every task owned and restored", "ready", "503"
            ),
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _error_schema()},
        },
        "security": [{"token": []}],
    }


@cache
def page() -> str:
    """Return the document as a page: no script, nothing that is loaded."""
    rows = "".join(
        f"<h2><code>GET {escape(path)}</code></h2><p>{escape(of['get']['summary'])}.</p>"
        + _table(of["get"].get("parameters", []))
        + "<p>"
        + ", ".join(
            f"<b>{code}</b> {escape(one['description'])}"
            for code, one in of["get"]["responses"].items()
        )
        + "</p>"
        for path, of in document()["paths"].items()
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Penstock</title><style>"
        "body{font:16px/1.5 sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}"
        "h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse}"
        "td{padding:.1rem 1rem .1rem 0;vertical-align:top}</style>"
        "<h1>The state of this application</h1><p>Send <code>Authorization: Bearer TOKEN</code>; "
        "the application prints where its token is when it starts. The same for programs: "
        '<a href="openapi.json">openapi.json</a>.</p>' + rows
    )


def _table(parameters: list[dict[str, Any]]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code><td>{escape(one['description'])}"
        for one in parameters
    )
    return f"<table>{rows}</table>" if rows else ""


def _get(
    summary: str, result: str, errors: str, parameters: list[Any] | None = None
) -> dict[str, Any]:
    codes = errors.split()
    responses: dict[str, Any] = {
        "200": {"description": result, "content": {"application/json": {}}}
    }
    schema = {"schema": {"$ref": "#/components/schemas/Error"}}
    responses |= {
        code: {"description": _ERRORS[code], "content": {"application/json": schema}}
        for code in codes
    }
    return {
        "get": {
            "summary": summary,
            **({"parameters": parameters} if parameters else {}),
            "responses": responses,
        }
    }


def _topology() -> dict[str, Any]:
    choice = {
        "name": "format",
        "in": "query",
        "description": "text, mermaid or svg; else by the Accept header, else text",
        "schema": {"type": "string", "enum": ["text", "mermaid", "svg"]},
    }
    return _get("the topology of the program", "text, Mermaid or SVG", "400 401 403", [choice])


def _parameter(name: str) -> dict[str, Any]:
    kind, description = _PARAMETERS[name]
    return {"name": name, "in": "query", "description": description, "schema": {"type": kind}}


def _path_parameter(name: str, description: str) -> dict[str, Any]:
    schema = {"type": "string"}
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": schema,
    }


def _error_schema() -> dict[str, Any]:
    text = {"type": "string"}
    inner = {"type": "object", "properties": {"code": text, "message": text}}
    return {"type": "object", "properties": {"error": inner}}

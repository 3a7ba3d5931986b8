"""The files of the page, from this package: nothing is built, nothing comes from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from penstock._engine.http.replies import Reply

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def page_file(name: str) -> Reply | None:
    """Return a file of the page; None if there is none of that name."""
    body = _files().get(name)
    if body is None:
        return None
    return Reply(200, body, _TYPES[name.rpartition(".")[2]], HEADERS)


@cache
def _files() -> dict[str, bytes]:
    folder = files("penstock._engine.http.console") / "page"
    return {
        one.name: one.read_bytes()
        for one in folder.iterdir()
        if one.name.rpartition(".")[2] in _TYPES
    }

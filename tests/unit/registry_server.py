"""A schema registry for tests: the part of Confluent's HTTP protocol that clients speak to read and
write records, in memory.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

NOT_FOUND, CONFLICT = 404, 409
KEPT = ("schema", "schemaType", "references")


class Registry:
    """Schemas by id, and the versions of each subject."""

    def __init__(self) -> None:
        self.schemas: list[dict[str, Any]] = []
        self.subjects: dict[str, list[int]] = {}
        self.refuses: set[str] = set()
        """Subjects that take no other schema: compatibility FULL, as it were."""
        self.url = ""

    def register(self, subject: str, schema: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        kept: dict[str, Any] = {key: schema[key] for key in KEPT if key in schema}
        versions = self.subjects.setdefault(subject, [])
        if kept not in self.schemas:
            if subject in self.refuses and versions:
                told = f"Schema being registered is incompatible with an earlier one of {subject}"
                return CONFLICT, {"error_code": CONFLICT, "message": told}
            self.schemas.append(kept)
        number = self.schemas.index(kept) + 1
        if number not in versions:
            versions.append(number)
        return 200, self._shown(subject, number)

    def look_up(self, subject: str, schema: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        for number in self.subjects.get(subject, []):
            if self.schemas[number - 1]["schema"] == schema["schema"]:
                return 200, self._shown(subject, number)
        return NOT_FOUND, {"error_code": 40403, "message": "Schema not found"}

    def by_id(self, number: int) -> tuple[int, dict[str, Any]]:
        if not 0 < number <= len(self.schemas):
            return NOT_FOUND, {"error_code": 40403, "message": f"Schema {number} not found"}
        return 200, self.schemas[number - 1]

    def version(self, subject: str, version: str) -> tuple[int, dict[str, Any]]:
        versions = self.subjects.get(subject, [])
        index = len(versions) if version in {"latest", "-1"} else int(version)
        if not 0 < index <= len(versions):
            return NOT_FOUND, {"error_code": 40401, "message": f"Subject '{subject}' not found."}
        return 200, self._shown(subject, versions[index - 1])

    def _shown(self, subject: str, number: int) -> dict[str, Any]:
        version = self.subjects[subject].index(number) + 1
        return {"subject": subject, "id": number, "version": version, **self.schemas[number - 1]}


@contextmanager
def serving() -> Iterator[Registry]:
    """Run a registry on a port of this machine."""
    registry = Registry()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path)
            if match := re.fullmatch(r"/schemas/ids/(\d+)", path):
                self._answer(*registry.by_id(int(match[1])))
            elif match := re.fullmatch(r"/subjects/(.+)/versions/([-\w]+)", path):
                self._answer(*registry.version(match[1], match[2]))
            else:
                self._answer(NOT_FOUND, {"error_code": NOT_FOUND, "message": path})

        def do_POST(self) -> None:
            path = unquote(urlsplit(self.path).path)
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if match := re.fullmatch(r"/subjects/(.+)/versions", path):
                self._answer(*registry.register(match[1], body))
            elif match := re.fullmatch(r"/subjects/(.+)", path):
                self._answer(*registry.look_up(match[1], body))
            else:
                self._answer(NOT_FOUND, {"error_code": NOT_FOUND, "message": path})

        def _answer(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.schemaregistry.v1+json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    registry.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""Reads stores in this process as the server would answer: the same words, rows and refusals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from penstock._engine.http.clients.client import StateClient, document_of
from penstock._engine.http.replies import Refusal
from penstock._engine.http.routes import segments_of
from penstock._engine.http.served import QueriedStores
from penstock._engine.http.store_reads import StoreReads


class DirectClient(StateClient):
    """Stores that no server serves."""

    def __init__(self, stores: QueriedStores) -> None:
        self._reads = StoreReads(stores, None)  # no request is sent, which could be too large

    def get(self, path: str, words: Mapping[str, str] | None = None) -> Any:
        _, *rest = segments_of(path.encode())
        try:
            reply = self._reads.reply(rest, words or {})
        except Refusal as refusal:
            reply = refusal.reply()
        return document_of(reply.status, json.loads(reply.body), self.place)

    def close(self) -> None:
        """Do nothing: the stores belong to the caller."""

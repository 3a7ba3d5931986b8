"""Which request is answered how: a path, a method, words; no sockets, no threads."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from urllib.parse import unquote_to_bytes

from penstock._engine.control.protocol import wire
from penstock._engine.http import status_documents
from penstock._engine.http.access import Access
from penstock._engine.http.console.feed import Feed
from penstock._engine.http.console.pages import page_file
from penstock._engine.http.key_reads import KeyRead
from penstock._engine.http.openapi import document, page
from penstock._engine.http.parameters import only, words_of
from penstock._engine.http.replies import (
    ANSWER_BYTES_MAX,
    DRIVER_HEADER,
    HTML,
    JSON,
    MESSAGEPACK,
    QUESTIONS_PATH,
    TEXT,
    Asked,
    Refusal,
    Reply,
    bad_request,
    json_reply,
    not_found,
    not_ready,
)
from penstock._engine.http.served import Application
from penstock._engine.http.store_reads import StoreReads
from penstock._engine.queries.questions import Answer, Question
from penstock.errors import StoreNotReadyError

_log = logging.getLogger(__name__)

FORMS = {"text": TEXT, "mermaid": TEXT, "svg": "image/svg+xml"}
_ACCEPTED = {"image/svg+xml": "svg", "text/vnd.mermaid": "mermaid", "text/plain": "text"}
# They say nothing of the data, and probes of a cluster manager have no token.
_OPEN_TO_ALL = ({""}, {"api"}, {"openapi.json"}, {"health"})
LOGIN_PATH, LINK_PATH = "/console/login", "/console/link"
_METHODS = "GET, HEAD"


class Routes:
    """Answers requests about one application."""

    def __init__(self, application: Application, access: Access, feed: Feed | None = None) -> None:
        self._application, self._access = application, access
        self._feed = feed or Feed(application)
        self._reads = StoreReads(application)

    def drop_old(self) -> None:
        """Forget what was kept for requests that have not come; called now and then."""
        self._reads.drop_old()

    def check_driver(self, asked: Asked) -> None:
        """Refuse a question that is not of another driver, before its body is read.

        Raises:
            Refusal: 401, 403, 405, 415, 421.
        """
        self._access.check_host(asked.headers)
        self._access.check_token(asked.headers)
        if asked.method != "POST":
            msg = "drivers of this application send questions here: there is POST, and no more"
            raise Refusal(405, "method_not_allowed", msg, {"allow": "POST"})
        # No page in a browser can send this without asking first, which this server refuses.
        if asked.headers.get("content-type") != MESSAGEPACK:
            msg = f"a question must be {MESSAGEPACK}"
            raise Refusal(415, "unsupported_media_type", msg)
        if asked.headers.get(DRIVER_HEADER) != self._application.drivers()[0].id:
            msg = f"this is another driver than the one that {DRIVER_HEADER} names"
            raise Refusal(421, "another_driver", msg)

    def check_stream(self, asked: Asked) -> Callable[[], bool]:
        """Refuse a stream of figures to who may not read; return a function that says whether that
        is still so, and renews the session of a browser.

        Raises:
            Refusal: 401, 403, 405.
        """
        self._access.check_host(asked.headers)
        self._access.check_reader(asked.headers)
        if asked.method != "GET":
            msg = f"there is no {asked.method[:20]} here; use GET"
            raise Refusal(405, "method_not_allowed", msg, {"allow": "GET"})
        return lambda: self._access.may_read(asked.headers)

    def key_read(self, asked: Asked) -> KeyRead | None:
        """Return the read of a request for one key that needs no thread; None for all others, which
        `reply` answers.

        Raises:
            Refusal: the request is refused.
        """
        try:
            self._access.check(asked.headers)
            path = segments_of(asked.raw_path)
            if asked.method != "GET" or len(path) != 3 or not path[2]:
                return None
            keys = self._reads.keys_of(path[1], asked.query)
            if keys is None:
                return None
            # The session of a browser may end, the token does not.
            is_lasting = self._access.has_token(asked.headers)
            return KeyRead.of(asked, keys, path[2], is_lasting=is_lasting)
        except Refusal:
            raise
        except Exception:  # `reply` will fail at it as well, and logs it
            return None

    def reply(self, asked: Asked) -> Reply:
        """Return the answer to a request; no request makes it raise."""
        try:
            return self._reply(asked)
        except Refusal as refusal:
            return refusal.reply()
        except StoreNotReadyError as error:
            return not_ready(str(error)).reply()
        except Exception:
            _log.exception("a request of the HTTP server failed: %r", asked.raw_path[:200])
            msg = "the server failed at this request; its log says why"
            return Refusal(500, "failed", msg).reply()

    def _reply(self, asked: Asked) -> Reply:
        if asked.raw_path == QUESTIONS_PATH.encode():
            return self._forwarded(asked)
        self._access.check_host(asked.headers)
        if asked.raw_path in {LOGIN_PATH.encode(), LINK_PATH.encode()}:
            return self._login(asked)
        path = segments_of(asked.raw_path)
        file = page_file(path[1]) if path[0] == "console" and len(path) == 2 else None
        if {path[0]} not in _OPEN_TO_ALL and file is None:
            self._access.check_reader(asked.headers)
        if asked.method not in {"GET", "HEAD"}:
            msg = f"there is no {asked.method[:20]} here, the state is only read; use {_METHODS}"
            raise Refusal(405, "method_not_allowed", msg, {"allow": _METHODS})
        words = words_of(asked.query)
        if path[0] == "stores":
            return self._reads.reply(path[1:], words, asked.until)
        if path == ["topology"]:
            return self._topology(words, asked.headers.get("accept", ""))
        only(words)
        return file or self._shown(path) or self._plain(path)

    def _shown(self, path: list[str]) -> Reply | None:
        """Return what is for people: the console, and the words for programs."""
        match path:
            case [""]:
                return page_file("index.html")
            case ["api"]:
                return Reply(200, page().encode(), HTML)
            case ["openapi.json"]:
                return json_reply(document())
            case ["console", "snapshot"]:
                return Reply(200, self._feed.snapshot())
            case ["console", "graph"]:
                return Reply(200, self._feed.graph())
        return None

    def _plain(self, path: list[str]) -> Reply:
        match path:
            case ["metadata"]:
                return json_reply(status_documents.metadata(self._application))
            case ["metrics"]:
                text = self._application.metrics()
                return Reply(200, text.encode(), "text/plain; version=0.0.4; charset=utf-8")
            case ["tasks"]:
                return json_reply({"tasks": status_documents.tasks(self._application)})
            case ["health", "live"]:
                code, body = status_documents.liveness(self._application)
            case ["health", "ready"]:
                code, body = status_documents.readiness(self._application)
            case _:
                msg = "there is nothing at this path; /openapi.json lists what there is"
                raise not_found(msg)
        return json_reply(body, code, {"retry-after": "1"} if code == 503 else {})

    def _login(self, asked: Asked) -> Reply:
        """Return a session, for the code of a link or for the token; or another link."""
        if asked.method != "POST":
            msg = "browsers are let in here: there is POST, and no more"
            raise Refusal(405, "method_not_allowed", msg, {"allow": "POST"})
        # No page of another origin can send this without asking first, which this server refuses.
        if asked.headers.get("content-type") != JSON:
            msg = f"a login must be {JSON}"
            raise Refusal(415, "unsupported_media_type", msg)
        logins = self._access.logins
        if asked.raw_path == LINK_PATH.encode():
            return json_reply({"code": self._access.link_code(asked.headers)})
        code = code_in(asked.body)
        if code is None:
            self._access.check_token(asked.headers)
            return json_reply({"session": logins.open()})
        session = logins.redeem(code)
        if session is None:
            msg = (
                "this link was used already, or is too old; paste the token instead: the "
                "application prints in which file it is when it starts"
            )
            raise Refusal(401, "unauthorized", msg)
        return json_reply({"session": session})

    def _forwarded(self, asked: Asked) -> Reply:
        """Answer a question of another driver."""
        self.check_driver(asked)
        try:
            question = wire.decode(asked.body, Question)
        except wire.WireError as error:
            raise bad_request(str(error)) from error
        body = wire.encode(self._application.answer(question))
        if len(body) > ANSWER_BYTES_MAX:
            busy = (
                f"the answer has more than {ANSWER_BYTES_MAX:,} bytes; ask for fewer rows at once"
            )
            body = wire.encode(Answer(question.number, busy=busy))
        return Reply(200, body, MESSAGEPACK)

    def _topology(self, words: Mapping[str, str], accept: str) -> Reply:
        only(words, "format")
        form = words.get("format") or _accepted(accept)
        if form not in FORMS:
            msg = f"'format' must be {', '.join(map(repr, FORMS))}; got {form[:80]!r}"
            raise bad_request(msg)
        return Reply(200, self._application.topology(form).encode(), FORMS[form])


def segments_of(raw_path: bytes) -> list[str]:
    """Return the parts of a path, decoded one by one: a key may have a slash, as %2F.

    Raises:
        Refusal: it is no path, or no UTF-8.
    """
    if not raw_path.startswith(b"/"):
        msg = "a request must name a path that begins with '/'"
        raise bad_request(msg)
    try:
        if b"%" not in raw_path:
            return raw_path[1:].decode("utf-8").split("/")
        return [unquote_to_bytes(part).decode("utf-8") for part in raw_path[1:].split(b"/")]
    except UnicodeDecodeError as error:
        msg = "the path must be UTF-8, percent-encoded"
        raise bad_request(msg) from error


def code_in(body: bytes) -> str | None:
    """Return the code of a login; None if it has none.

    Raises:
        Refusal: it is no JSON object.
    """
    try:
        said = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        msg = "a login must be a JSON object"
        raise bad_request(msg) from error
    code = said.get("code") if isinstance(said, dict) else None
    return code if isinstance(code, str) else None


def _accepted(accept: str) -> str:
    """Return the first form that an Accept header names; text if it names none."""
    for part in accept.split(","):
        form = _ACCEPTED.get(part.partition(";")[0].strip().lower())
        if form is not None:
            return form
    return "text"

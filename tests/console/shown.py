"""A page of the console, its server and a simulated application, and how a test reads the page."""

from __future__ import annotations

import json

from penstock._engine.http.access import Access
from penstock._engine.http.listening import Listening
from penstock._engine.http.server import HttpServer
from tests.console.browser import Browser, Page
from tests.console.simulated import Simulated

TOKEN = "a-token-of-the-tests"
VIEWS = ["Topology", "Tasks", "Timeline", "Time", "Errors"]


class Shown:
    """A server, and pages that look at it."""

    def __init__(self, browser: Browser, application: Simulated) -> None:
        self._browser, self.application = browser, application
        self.access = Access(TOKEN)
        self.server = HttpServer(application, Listening("127.0.0.1", 0, self.access))
        self._pages: list[Page] = []

    def page(self, width: int = 1280, height: int = 800, *, dark: bool = False) -> Page:
        """Return a page that was let in by a link."""
        page = self.stranger(width, height, dark=dark)
        page.open(f"{self.server.url}/#{self.access.logins.new_code()}")
        page.until("document.querySelectorAll('.shape').length > 20", "the graph")
        return page

    def stranger(self, width: int = 1280, height: int = 800, *, dark: bool = False) -> Page:
        page = self._browser.page(width, height, dark=dark)
        self._pages.append(page)
        return page

    def close(self) -> None:
        for page in self._pages:
            page.close()
        self.server.close()


def view(page: Page, name: str) -> None:
    page.click(f"#tab-{VIEWS.index(name)}")
    page.until(f"document.querySelector('#tab-{VIEWS.index(name)}').ariaSelected === 'true'", name)


def text(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})?.textContent"


def texts(selector: str) -> str:
    return f"[...document.querySelectorAll({json.dumps(selector)})].map(one => one.textContent)"

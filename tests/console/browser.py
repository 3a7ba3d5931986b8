"""A real Chromium, driven by its DevTools protocol over two pipes: no other package is needed."""

from __future__ import annotations

import base64
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.outside_programs import need

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 20.0

_OPTIONS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]

# It takes what it is told on descriptor 3 and answers on 4, whatever these were before.
_LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def found() -> str | None:
    """Return the program of a Chromium, None if there is none."""
    named = os.environ.get("PENSTOCK_CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    """One process; pages have nothing in common but it."""

    def __init__(self) -> None:
        program = found() or ""
        need("chromium", found=bool(program))
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        descriptors = str(to_read), str(from_write)
        command = [sys.executable, "-S", "-c", _LAUNCH, *descriptors, program, *_OPTIONS]
        command.append(f"--user-data-dir={self._profile.name}")
        self._process = subprocess.Popen(
            command,
            pass_fds=(to_read, from_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self._to = os.fdopen(to_write, "wb", buffering=0)
        self._from = os.fdopen(from_read, "rb")
        self._answers: dict[int, queue.SimpleQueue[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}
        self._number = 0
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.version = str(self.send("Browser.getVersion")["product"])
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait(_SECONDS)
        self._to.close()
        self._reader.join(_SECONDS)
        self._from.close()
        self._profile.cleanup()

    def page(self, width: int = 1280, height: int = 800, *, dark: bool = False) -> Page:
        """Return a new page without cookies or storage of the others."""
        context = self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", browserContextId=context)[
            "targetId"
        ]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session, context)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(f"{domain}.enable")
        page.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.send("Emulation.setEmulatedMedia", features=[scheme])
        return page

    def send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Ask the browser and wait for its answer."""
        with self._lock:
            self._number += 1
            number = self._number
            answers = self._answers[number] = queue.SimpleQueue()
            message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
            if session is not None:
                message["sessionId"] = session
            self._to.write(json.dumps(message).encode() + b"\0")
        answer = answers.get(timeout=_SECONDS)
        if "error" in answer:
            msg = f"{method}: {answer['error']}"
            raise AssertionError(msg)
        result: dict[str, Any] = answer["result"]
        return result

    def _read(self) -> None:
        rest = b""
        while chunk := self._from.read1(1 << 16):
            *messages, rest = (rest + chunk).split(b"\0")
            for raw in messages:
                message = json.loads(raw)
                if "id" in message:
                    self._answers.pop(message["id"]).put(message)
                elif message.get("sessionId") in self._pages:
                    self._pages[message["sessionId"]].take(message["method"], message["params"])


class Page:
    """One page of a browser; `problems` is what its console complains about."""

    def __init__(self, browser: Browser, session: str, context: str) -> None:
        self._browser, self._session, self._context = browser, session, context
        self.problems: list[str] = []
        self.requested: list[str] = []

    def take(self, event: str, about: dict[str, Any]) -> None:
        """Take an event of the browser."""
        if event == "Runtime.exceptionThrown":
            self.problems.append(str(about["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled" and about["type"] in {"error", "warning"}:
            self.problems.append(str(about["args"]))
        elif event == "Log.entryAdded" and about["entry"]["level"] in {"error", "warning"}:
            self.problems.append(f"{about['entry']['text']} {about['entry'].get('url')}")
        elif event == "Network.requestWillBeSent":
            self.requested.append(about["request"]["url"])

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser about this page."""
        return self._browser.send(method, self._session, **parameters)

    def open(self, url: str) -> None:
        """Go to an address."""
        self.send("Page.navigate", url=url)

    def run(self, script: str) -> Any:
        """Return the value of an expression of JavaScript; a promise is waited for."""
        answer = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def until(self, script: str, what: str, seconds: float = _SECONDS) -> Any:
        """Wait until an expression is true; return its value."""
        # An element has no value outside the page.
        checked = f"(value => value instanceof Node ? true : value)({script})"
        return wait_for(lambda: self.run(checked), f"{what}: {script}", seconds)

    def click(self, selector: str) -> None:
        """Click where an element is, as a person would."""
        place = self.until(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); if (!one) "
            "return null; one.scrollIntoView({block: 'nearest'}); "
            "const box = one.getBoundingClientRect(); "
            "return box.width ? [box.x + box.width / 2, box.y + box.height / 2] : null; })()",
            "an element to click",
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )

    def key(self, name: str) -> None:
        """Press a key that writes nothing."""
        codes = {"Enter": 13, "Escape": 27, "ArrowRight": 39, "ArrowLeft": 37, "Tab": 9}
        text = {"text": "\r"} if name == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            about = {"key": name, "code": name, "windowsVirtualKeyCode": codes[name]}
            self.send(
                "Input.dispatchKeyEvent", type=kind, **about, **(text if kind == "keyDown" else {})
            )

    def write(self, text: str) -> None:
        """Write into what has the focus."""
        self.send("Input.insertText", text=text)

    def picture(self, file: Path) -> None:
        """Write what is in sight to a PNG file."""
        file.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        """Close it, and forget its storage."""
        self._browser.send("Target.disposeBrowserContext", browserContextId=self._context)


def wait_for(seen: Callable[[], Any], what: str, seconds: float = _SECONDS) -> Any:
    """Wait until a function returns something true; return it."""
    until = time.monotonic() + seconds
    while not (value := seen()):
        assert time.monotonic() < until, f"waited {seconds} s for {what}"
        time.sleep(0.05)
    return value

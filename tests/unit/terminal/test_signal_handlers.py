"""Signals have a handler for a while."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

from penstock.terminal.signal_handlers import ENDING, handling


def test_a_handler_is_there_for_a_while_and_the_one_before_comes_back() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    received: list[int] = []

    def handle(number: int, _frame: object) -> None:
        received.append(number)

    def stops() -> None:
        with handling({signal.SIGUSR1: handle}):
            os.kill(os.getpid(), signal.SIGUSR1)
            raise LookupError

    with pytest.raises(LookupError):
        stops()
    assert received == [signal.SIGUSR1]
    assert signal.getsignal(signal.SIGUSR1) == before


def test_other_threads_receive_no_signals() -> None:
    before = signal.getsignal(signal.SIGINT)
    inside: list[Any] = []

    def receive() -> None:
        with handling(dict.fromkeys(ENDING, lambda _number, _frame: None)):
            inside.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=receive)
    thread.start()
    thread.join()
    assert inside == [before]

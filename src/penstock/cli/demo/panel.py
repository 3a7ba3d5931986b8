"""The results of the demonstration: two tables side by side, as of now."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import zip_longest

from penstock._engine.kafka.client.topic_io import Read
from penstock.cli.demo.program import ACCOUNT, COUNTS, NUMBER, TEXT, Account
from penstock.terminal.figures import Figures
from penstock.terminal.wording import bar

_ROWS = 10
_WORD_COLUMNS = 38
_BAR_CELLS = 14


class Results:
    """The latest count of each word and the latest state of each account."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.accounts: dict[str, Account] = {}
        self._lock = threading.Lock()

    def take(self, records: Iterable[Read]) -> None:
        """Take what came out of the application."""
        with self._lock:
            for topic, key, value, *_ in records:
                name = TEXT.deserialize(topic, key) or ""
                if topic == COUNTS:
                    self.counts[name] = NUMBER.deserialize(topic, value) or 0
                else:
                    self.accounts[name] = ACCOUNT.deserialize(topic, value) or Account()

    def panel(self, _figures: Figures, width: int) -> list[str]:
        """Return the tables as lines, cut to `width`."""
        with self._lock:
            counts, accounts = dict(self.counts), dict(self.accounts)
        left, right = _word_table(counts), _account_table(accounts)
        rows = zip_longest(left, right, fillvalue="")
        both = [f" {words:{_WORD_COLUMNS}}  {totals}".rstrip() for words, totals in rows]
        return ["", *(line[: width - 1] for line in both), ""]


def _word_table(counts: dict[str, int]) -> list[str]:
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_ROWS]
    most = top[0][1] if top else 1
    title = f"WORDS ({sum(counts.values()):,} counted)"
    return [
        title,
        *(f"{word:12}{count:>9,}  {bar(count / most, _BAR_CELLS)}" for word, count in top),
    ]


def _account_table(accounts: dict[str, Account]) -> list[str]:
    rows = sorted(accounts.items(), key=lambda item: -item[1].cents)[:_ROWS]
    paid = sum(account.cents for account in accounts.values())
    return [
        f"ACCOUNTS ({paid / 100:,.2f} paid)",
        *(
            f"{name:8}{account.cents / 100:>12,.2f} {account.payments:>7,} payments"
            f"  last: {account.last_shop}"
            for name, account in rows
        ),
    ]

"""The two tables."""

from __future__ import annotations

from penstock._engine.kafka.client.topic_io import Read
from penstock.cli.demo.panel import Results
from penstock.cli.demo.program import ACCOUNT, ACCOUNTS, COUNTS, NUMBER, Account
from penstock.terminal.figures import Figures

NOW = Figures("RUNNING", 1)


def count(word: str, number: int) -> Read:
    return Read(COUNTS, word.encode(), NUMBER.serialize(COUNTS, number), 0)


def account(name: str, state: Account) -> Read:
    return Read(ACCOUNTS, name.encode(), ACCOUNT.serialize(ACCOUNTS, state), 0)


def test_latest_results_are_shown_the_greatest_first() -> None:
    results = Results()
    results.take([count("river", 3), count("turbine", 8), count("river", 4)])
    results.take([account("ada", Account(2, 1_250, "bakery"))])
    last = "12.50       2 payments  last: bakery"
    assert results.panel(NOW, 100) == [
        "",
        " WORDS (12 counted)                      ACCOUNTS (12.50 paid)",
        f" turbine             8  ██████████████   ada            {last}",
        " river               4  ███████░░░░░░░",
        "",
    ]


def test_table_has_the_first_ten_only() -> None:
    results = Results()
    results.take([count(f"word{number}", 100 - number) for number in range(30)])
    lines = results.panel(NOW, 100)
    assert len(lines) == 13
    assert lines[2].startswith(" word0 ")
    assert lines[11].startswith(" word9 ")


def test_lines_fit_the_terminal() -> None:
    results = Results()
    results.take([count("river", 3), account("ada", Account(2, 1_250, "bakery"))])
    assert max(map(len, results.panel(NOW, 40))) < 40


def test_nothing_yet_is_shown_as_nothing() -> None:
    assert Results().panel(NOW, 100)[1].split() == [
        "WORDS",
        "(0",
        "counted)",
        "ACCOUNTS",
        "(0.00",
        "paid)",
    ]

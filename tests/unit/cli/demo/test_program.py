"""The application of the demonstration, in the test driver."""

from __future__ import annotations

from penstock.cli.demo import program
from penstock.cli.demo.program import ACCOUNT, NUMBER, PAYMENT, TEXT, Account, Payment
from penstock.testing import TopologyTestDriver


def test_long_words_are_counted() -> None:
    with TopologyTestDriver(program.topology()) as driver:
        lines = driver.create_input_topic(program.LINES, TEXT, TEXT)
        lines.pipe_value_list(["the river turns the wheel", "The River again"])
        counts = driver.create_output_topic(program.COUNTS, TEXT, NUMBER)
        assert counts.read_key_values_to_dict() == {"river": 2, "turns": 1, "wheel": 1, "again": 1}


def test_payments_add_up_for_each_account() -> None:
    with TopologyTestDriver(program.topology()) as driver:
        payments = driver.create_input_topic(program.PAYMENTS, TEXT, PAYMENT)
        payments.pipe_input("ada", Payment("bakery", 300))
        payments.pipe_input("ada", Payment("grocer", 50))
        accounts = driver.create_output_topic(program.ACCOUNTS, TEXT, ACCOUNT)
        assert accounts.read_key_values() == [
            ("ada", Account(1, 300, "bakery")),
            ("ada", Account(2, 350, "grocer")),
        ]

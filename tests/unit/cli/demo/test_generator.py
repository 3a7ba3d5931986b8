"""Invented input: always the same, never dull."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from penstock.cli.demo.generator import line, payment, records_by
from penstock.cli.demo.program import PAYMENT


def test_number_gives_the_same_record_forever() -> None:
    assert line(3) == (b"3", b"the old mill feeds the town all night")
    assert payment(1) == (b"chloe", b'{"shop":"bookshop","cents":5441}')


def test_some_words_and_names_are_more_frequent_than_others() -> None:
    names = Counter(payment(number)[0] for number in range(1000))
    assert len(names) == 10
    assert names[b"ada"] > 3 * names[b"jonas"]
    assert len({line(number)[1] for number in range(1000)}) > 300


def test_payments_are_small_mostly_and_never_nothing() -> None:
    payments = [PAYMENT.deserialize("", payment(number)[1]) for number in range(1000)]
    cents = sorted(paid.cents for paid in payments if paid is not None)
    assert cents[0] >= 150
    assert cents[500] < cents[-1] / 5


def test_records_come_in_waves_but_never_go() -> None:
    due = [records_by(second) for second in range(120)]
    a_second = [later - before for before, later in pairwise(due)]
    assert due[0] == 0
    assert 0 <= min(a_second) < 10
    assert max(a_second) > 100

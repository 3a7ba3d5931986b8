"""The judges are judged: each kind of wrong output is seen, and a right one is not."""

from __future__ import annotations

from tests.chaos.checks import Counting, Findings, Once, Sequence, all_checks
from tests.chaos.load import KEYS, murmur2, partition_of
from tests.chaos.model import Model


def number(value: int) -> bytes:
    return value.to_bytes(8, "big")


def model_with_events(*times: int, key: str = "a1") -> Model:
    model = Model()
    for time in times:
        model.add_event(key, time, 0, 0.0)
    return model


def test_counts_in_order_are_right() -> None:
    check, model = Counting("counts", exact=True), model_with_events(0, 10, 20)
    for count in (1, 2, 3):
        check.see("a1", number(count))
    assert (check.missing(model), check.findings) == ([], Findings())


def test_a_skipped_count_is_lost_and_a_late_one_is_reordered() -> None:
    check, model = Counting("counts", exact=True), model_with_events(0, 10, 20)
    for count in (1, 3):
        check.see("a1", number(count))
    assert check.missing(model) == ["a1: no [2]"]
    check.see("a1", number(2))
    assert (check.missing(model), check.findings) == ([], Findings(reordered=1))


def test_a_count_that_comes_again_is_doubled_and_one_too_high_is_wrong() -> None:
    check, model = Counting("counts", exact=True), model_with_events(0)
    for count in (1, 1, 2):
        check.see("a1", number(count))
    assert (check.missing(model), check.findings) == ([], Findings(doubled=1, wrong=1))


def test_at_least_once_counts_may_be_too_high_but_not_too_low() -> None:
    check, model = Counting("counts", exact=False), model_with_events(0, 10, 20)
    check.see("a1", number(2))
    assert check.missing(model) == ["a1: 2 of 3"]
    check.see("a1", number(5))
    assert check.missing(model) == []


def test_a_sequence_is_compared_with_its_order() -> None:
    model = model_with_events(0, 10)
    shown = [value.encode() for value in model.joined["a1"]]
    for values, lost, findings in (
        (shown, 0, Findings()),
        (shown[:1], 1, Findings()),
        ([*shown, shown[1]], 0, Findings(doubled=1)),
        (shown[::-1], 0, Findings(reordered=1)),
        ([*shown, b"3|x|y"], 0, Findings(wrong=1)),
    ):
        check = Sequence("joined", exact=True)
        for value in values:
            check.see("a1", value)
        assert (len(check.missing(model)), check.findings) == (lost, findings)


def test_a_closed_window_comes_once_with_its_count() -> None:
    model = model_with_events(0, 10, 5000)
    check = Once("closed_windows", exact=True)
    assert check.missing(model) == ["a1: 0-2000=2"]
    for value in (b"0-2000=2", b"0-2000=2", b"0-2000=1"):
        check.see("a1", value)
    assert (check.missing(model), check.findings) == ([], Findings(doubled=1, wrong=1))


def test_the_model_knows_sessions_matches_and_placed_orders() -> None:
    model = model_with_events(0, 1000, 4000)
    model.add_click("a1", 7, 4500)
    assert model.sessions["a1"] == ["0-0=1", "0-0=None", "0-1000=2", "4000-4000=1"]
    assert model.matches == {("a1", "3&7")}
    model.add_row("customers", "c1", "Ada")
    model.add_row("orders", "o1", "c1:1")
    model.add_row("orders", "o2", "c2:1")
    assert model.placed() == {"o1": "c1:1 by Ada"}


def test_keys_are_placed_as_java_places_them() -> None:
    assert {partition_of(key) for key in KEYS} == {0, 1, 2, 3}
    # The hashes in Kafka's UtilsTest.
    hashes = {"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536}
    assert {key: murmur2(key.encode()) - (1 << 32) for key in hashes} == hashes


def test_every_output_has_its_check() -> None:
    assert set(all_checks("at_least_once")) == set(all_checks("exactly_once_v2"))

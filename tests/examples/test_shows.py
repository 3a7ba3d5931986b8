"""Every show, in the test driver: its invented input, and every result compared with the right one.
On Spark and a broker: tests/spark/test_examples.py.
"""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import pytest

from examples.__main__ import main, summary
from examples.shows import SHOWS
from examples.stage.checked import Outcome, compare, script
from examples.stage.show import Stored
from tests.examples.on_the_driver import BEGIN, played

COUNT = 600
PARTITIONS = 4
HOUR_MS = 3_600_000


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWS)
def test_every_result_is_the_right_one(name: str, tmp_path: Path) -> None:
    show = SHOWS[name]()
    outcome = played(show, COUNT, tmp_path)
    wrong = outcome.differences
    if name == "order_pipeline":  # the driver has no relay: nothing is shipped
        wrong = [line for line in wrong if not line.startswith(("shipped", "  ("))]
    assert wrong == []
    assert outcome.records_in >= COUNT
    assert all(outcome.checked.values()), "an answer with nothing in it proves nothing"
    assert len(show.lines()) > 3


@pytest.mark.parametrize("name", SHOWS)
def test_the_same_number_says_the_same(name: str) -> None:
    once, again = (list(script(SHOWS[name](), BEGIN, 20)) for _ in range(2))
    assert once == again


@pytest.mark.parametrize("name", SHOWS)
def test_there_is_something_to_check_at_any_hour(name: str) -> None:
    """The input of a bounded show ends where the clock is, and the test is run at any time."""
    a_quiet_hour = BEGIN + 41 * HOUR_MS  # of the clicks: no visit ends in it
    for begin in range(a_quiet_hour, a_quiet_hour + 3 * HOUR_MS, HOUR_MS // 2):
        show = SHOWS[name]()
        inputs = [
            Stored(topic, crc32(key or b"") % PARTITIONS, key, value, timestamp)
            for topic, key, value, timestamp in script(show, begin, COUNT)
        ]
        expected = show.expected(inputs)
        assert all(expected.values()), f"nothing to check if it begins at {begin}"


def test_wrong_results_are_told() -> None:
    show = SHOWS["word_count"]()
    lines = [Stored("lines", 0, b"1", b"a b a", 0)]
    counts = [Stored("word-counts", 0, b"a", (3).to_bytes(8), 0)]
    outcome = compare(show, lines, counts)
    assert outcome.differences == [
        "words: 2 of 2 are wrong",
        "  a: 3 should be 2",
        "  b: None should be 1",
    ]
    assert not outcome.right


def test_the_summary_says_what_was_checked() -> None:
    outcomes = {"late_data": Outcome(1000, 90, {"minutes": 60, "late": 30}, [], 7.25)}
    assert summary(outcomes) == [
        "",
        "right  late_data           1,000 in     90 out    7.2 s  60 minutes, 30 late",
        "",
        "1 of 1 examples are right",
    ]


def test_the_examples_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert [name for name in SHOWS if f"python -m examples {name}" in listed] == list(SHOWS)
    with pytest.raises(SystemExit):
        main(["fraud"])
    assert "there is no example 'fraud'; there are word_count," in capsys.readouterr().err

"""`penstock demo`."""

from __future__ import annotations

import pytest

from penstock import serdes
from penstock.cli import demo, main
from penstock.testing import TopologyTestDriver


def test_the_demonstration_counts_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--lines", "3", "--pause", "0"]) == 0
    printed = capsys.readouterr().out
    assert "'hello kafka streams'" in printed
    assert "hello 1, kafka 2, streams 2" in printed
    assert printed.splitlines()[-1].startswith("the table: ")


def test_its_topology_counts_across_a_repartition() -> None:
    text, long = serdes.string(), serdes.long()
    config = {"default.key.serde": text, "default.value.serde": text}
    with TopologyTestDriver(demo.word_count(), config) as driver:
        lines = driver.create_input_topic("lines", text, text)
        lines.pipe_value_list(["to be or", "not to be"])
        counts = driver.create_output_topic("counts-by-word", text, long)
        assert counts.read_key_values_to_dict() == {"to": 2, "be": 2, "or": 1, "not": 1}


def test_a_wrong_command_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["dance"])
    assert caught.value.code == 2
    assert "usage: penstock" in capsys.readouterr().err

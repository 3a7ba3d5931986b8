"""Keys of windowed tables."""

from __future__ import annotations

import pickle

from penstock import Windowed


def test_a_windowed_key_is_equal_to_one_of_the_same_key_and_bounds() -> None:
    assert Windowed("a", 0, 10) == Windowed("a", 0, 10)
    assert Windowed("a", 0, 10) != Windowed("a", 0, 11)
    assert {Windowed("a", 0, 10): 1}[Windowed("a", 0, 10)] == 1


def test_its_text_is_java_s() -> None:
    assert str(Windowed("a", 0, 10)) == f"{Windowed('a', 0, 10)}" == "[a@0/10]"
    assert repr(Windowed("a", 0, 10)) == "Windowed(key='a', start=0, end=10)"


def test_it_can_be_shipped() -> None:
    assert pickle.loads(pickle.dumps(Windowed("a", 0, 10))) == Windowed("a", 0, 10)

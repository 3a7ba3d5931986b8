"""The checksum of what was written: the order does not matter, everything else does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock._engine.kafka.sink.contents import Contents
from penstock._engine.runtime.records import Output

DATA = st.none() | st.binary(max_size=6)
OUTPUTS: st.SearchStrategy[Output] = st.tuples(
    st.sampled_from(["a", "b"]),
    st.none() | st.integers(0, 3),
    DATA,
    DATA,
    st.none() | st.integers(0, 3),
    st.lists(st.tuples(st.text(max_size=3), DATA), max_size=2).map(tuple),
)


def of(outputs: list[Output]) -> Contents:
    return Contents().with_outputs(outputs)


@given(st.lists(OUTPUTS), st.randoms(use_true_random=False), st.integers(0, 10))
def test_neither_order_nor_chunks_matter(outputs: list[Output], chance: object, at: int) -> None:
    shuffled = sorted(outputs, key=repr)
    assert of(shuffled) == of(outputs)
    assert of(outputs[:at]).with_outputs(outputs[at:]) == of(outputs)


@given(OUTPUTS, OUTPUTS, st.lists(OUTPUTS, max_size=3))
def test_another_record_is_noticed(one: Output, other: Output, rest: list[Output]) -> None:
    if one != other:
        assert of([one, *rest]) != of([other, *rest])


def test_null_and_empty_differ_and_rows_are_not_mixed_up() -> None:
    base: Output = ("t", None, b"k", b"v", 1, ())
    others: list[Output] = [
        ("t", None, None, b"v", 1, ()),
        ("t", None, b"", b"kv", 1, ()),
        ("t", None, b"k", None, 1, ()),
        ("t", None, b"k", b"", 1, ()),
        ("t", None, b"k", b"v", None, ()),
        ("t", 0, b"k", b"v", 1, ()),
        ("u", None, b"k", b"v", 1, ()),
        ("t", None, b"k", b"v", 1, (("h", None),)),
    ]
    assert len({of([one]) for one in [base, *others]}) == 1 + len(others)
    # Twice the same is another content than once.
    assert of([base, base]) != of([base])

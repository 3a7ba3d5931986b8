"""What has no name of the user's, where it was written, and what to write."""

from __future__ import annotations

import inspect
import logging

import pytest

from penstock import Materialized, StreamsBuilder, TableJoined, TopologyError
from penstock._engine.topology.unnamed import remedy_for


def here() -> str:
    """Return the place of the caller's next line."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return f"{__file__}:{frame.f_back.f_lineno + 1}"


def warnings_of(builder: StreamsBuilder, caplog: pytest.LogCaptureFixture) -> list[str]:
    with caplog.at_level(logging.WARNING):
        builder.build()
    return caplog.messages


def test_a_store_without_a_name_is_told_with_its_place_and_what_to_write(
    caplog: pytest.LogCaptureFixture,
) -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").group_by_key()
    place = here()
    grouped.count()
    assert warnings_of(builder, caplog) == [
        f"store=KSTREAM-AGGREGATE-STATE-STORE-0000000001 at {place} has no name of yours: if the "
        "program changes, its number may, and what it holds is not found again; write "
        "Materialized('...') there, or set ensure.explicit.internal.resource.naming to have such "
        "programs refused"
    ]


def test_a_topic_without_a_name_is_told_too(caplog: pytest.LogCaptureFixture) -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    place = here()
    stream.repartition()
    assert warnings_of(builder, caplog) == [
        f"topic=KSTREAM-REPARTITION-0000000001-repartition at {place} has no name of yours: if the "
        "program changes, its number may, and what is under way in it is lost; write "
        "Repartitioned('...') there, or set ensure.explicit.internal.resource.naming to have such "
        "programs refused"
    ]


def test_a_table_that_is_kept_nowhere_needs_no_name(caplog: pytest.LogCaptureFixture) -> None:
    builder = StreamsBuilder()
    builder.table("rows").to_stream().to("out")
    assert warnings_of(builder, caplog) == []


def test_java_refuses_even_a_table_that_is_kept_nowhere() -> None:
    builder = StreamsBuilder()
    place = here()
    builder.table("rows")
    with pytest.raises(TopologyError) as caught:
        builder.build({"ensure.explicit.internal.resource.naming": True})
    assert caught.value.message == (
        f"state stores rows-STATE-STORE-0000000000 (at {place}); changelog topics "
        f"rows-STATE-STORE-0000000000-changelog (at {place}) have no name of yours: their numbers "
        "change with the program, and what they hold is not found again; write "
        "Materialized('...') there"
    )


class TestForeignKeyJoins:
    """Java says nothing of their topics and their store, which need names as much as others."""

    def build(self, joined: TableJoined[str, str] | None) -> StreamsBuilder:
        builder = StreamsBuilder()
        left = builder.table("left", materialized=Materialized[str, str]("lefts"))
        right = builder.table("right", materialized=Materialized[str, str]("rights"))
        left.join(right, lambda value: value, lambda a, b: a, joined, Materialized("results"))
        return builder

    def test_without_a_name_they_are_told(self, caplog: pytest.LogCaptureFixture) -> None:
        said = warnings_of(self.build(None), caplog)
        assert [message.split(" ")[0] for message in said] == [
            "store=KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-0000000008",
            "topic=KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-0000000004-topic",
            "topic=KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-0000000012-topic",
        ]
        assert all("write TableJoined('...') there" in message for message in said)

    def test_with_a_name_they_are_not(self, caplog: pytest.LogCaptureFixture) -> None:
        assert warnings_of(self.build(TableJoined("hop")), caplog) == []

    def test_as_in_java_they_are_not_refused(self) -> None:
        self.build(None).build({"ensure.explicit.internal.resource.naming": True})


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("KSTREAM-REDUCE-STATE-STORE-0000000002", "Materialized('...')"),
        ("orders-STATE-STORE-0000000000", "Materialized('...')"),
        ("KSTREAM-AGGREGATE-STATE-STORE-0000000002-repartition", "Grouped('...')"),
        ("KSTREAM-TOTABLE-0000000002-repartition", "to_table(named='...')"),
        (
            "KSTREAM-KEY-SELECT-0000000002-repartition",
            "Joined(name='...') or StreamJoined(name='...')",
        ),
        ("KSTREAM-JOINTHIS-0000000005-store", "StreamJoined(store_name='...')"),
        ("KSTREAM-OUTERSHARED-0000000005-store", "StreamJoined(store_name='...')"),
        ("KSTREAM-JOIN-0000000005-Buffer", "Joined(name='...')"),
        ("KTABLE-SUPPRESS-STATE-STORE-0000000005", "Suppressed.until_...(name='...')"),
    ],
)
def test_each_verb_has_its_own_place_for_a_name(name: str, remedy: str) -> None:
    assert remedy_for(name) == remedy

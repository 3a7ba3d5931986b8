"""A run is new or goes on; what its folder does not know of is refused."""

from __future__ import annotations

import pytest

from penstock._engine.kafka.application.carrier_topics import CarrierTopics, Offsets
from penstock._engine.spark.between.first_start import OpenedRecord, opened_record
from penstock._engine.spark.between.run_folder import ROUTED, CarriedInput, RunRecord
from penstock.errors import StreamsError


def topics(**ends: int) -> CarrierTopics:
    """Return topics of one partition that end at these offsets."""
    return CarrierTopics(
        "cluster",
        {name: f"id-{name}" for name in ends},
        {name: {0: end} for name, end in ends.items()},
    )


def going_on() -> OpenedRecord:
    record = RunRecord("app", "cluster", {"orders": CarriedInput("id-orders", "stream")})
    return opened_record(record, "app", "cluster", "folder")


def test_a_new_run_knows_its_inputs_and_where_its_outputs_begin() -> None:
    opened = opened_record(None, "app", "cluster", "folder")
    opened.check_known({}, ["orders", "customers"])
    now = topics(orders=0, customers=0, totals=7, alerts=0)
    assert opened.add_inputs({"orders": "stream", "customers": "batch"}, now)
    assert opened.add_outputs(["totals", "alerts"], now)
    assert opened.record == RunRecord(
        "app",
        "cluster",
        {
            "orders": CarriedInput("id-orders", "stream"),
            "customers": CarriedInput("id-customers", "batch"),
        },
        {"totals": {"0": 7}},
        ["totals", "alerts"],
    )


def test_a_run_that_goes_on_keeps_what_it_knows() -> None:
    opened = going_on()
    now = topics(orders=9, totals=7)
    opened.check_known(now.ids, ["orders"])
    assert not opened.add_inputs({"orders": "stream"}, now)
    # Of an earlier version: its outputs are those of the first start, in topics that were empty.
    assert opened.add_outputs(["totals"], now)
    assert not opened.add_outputs(["totals"], now)
    assert opened.record.outputs == {}


def test_a_sink_that_comes_later_begins_behind_what_its_topic_has() -> None:
    opened = going_on()
    now = topics(orders=9, totals=7, alerts=4)
    opened.add_outputs(["totals"], now)
    assert opened.add_outputs(["totals", "alerts"], now)
    assert opened.record.outputs == {"alerts": {"0": 4}}
    # It is the run that writes there now.
    assert not opened.add_outputs(["totals", "alerts"], topics(orders=9, totals=7, alerts=8))
    assert opened.record.outputs == {"alerts": {"0": 4}}


def test_topics_that_records_name_begin_behind_what_they_have() -> None:
    opened = opened_record(None, "app", "cluster", "folder")
    now = topics(orders=0, totals=0, old=5, empty=0)
    opened.add_inputs({"orders": "stream"}, now)
    assert opened.add_outputs(["totals", ROUTED], now)
    assert opened.record.outputs == {"old": {"0": 5}}
    # Records have named this topic before the topology does.
    later = topics(orders=9, totals=3, old=8, empty=6)
    assert opened.add_outputs(["totals", ROUTED, "empty"], later)
    assert opened.record.outputs == {"old": {"0": 5}}
    routed_later = going_on()
    routed_later.add_outputs(["totals"], later)
    assert routed_later.add_outputs(["totals", ROUTED], later)
    assert routed_later.record.outputs == {"old": {"0": 8}, "empty": {"0": 6}}


def test_an_input_that_the_topology_reads_no_more_is_not_looked_for() -> None:
    opened = going_on()
    opened.check_known({"customers": "id-customers"}, ["customers"])
    assert "orders" in opened.record.inputs


def test_an_input_that_comes_later_must_have_an_empty_topic() -> None:
    opened = going_on()
    assert opened.add_inputs({"orders": "stream", "new": "batch"}, topics(orders=9, new=0))
    with pytest.raises(StreamsError, match="topic 'used' has records already"):
        opened.add_inputs({"used": "batch"}, topics(used=1))
    assert "used" not in opened.record.inputs


def test_an_initial_that_is_half_written_cannot_be_left_out() -> None:
    carried = CarriedInput("id-names", "stream", has_initial=True)
    record = RunRecord("app", "cluster", {"names": carried})
    opened = opened_record(record, "app", "cluster", "folder")
    with pytest.raises(StreamsError, match=r"table\('names', initial=...\) was being written"):
        opened.add_inputs({"names": "stream"}, topics(names=3))
    assert not opened.add_inputs({"names": "stream"}, topics(names=3), ["names"])
    carried.is_written = True
    assert not opened.add_inputs({"names": "stream"}, topics(names=9))


def test_what_the_checkpoints_count_on_must_be_there() -> None:
    with pytest.raises(StreamsError, match="cluster other"):
        opened_record(going_on().record, "app", "other", "folder")
    with pytest.raises(StreamsError, match="topic 'orders' is gone"):
        going_on().check_known({}, ["orders"])
    with pytest.raises(StreamsError, match="'orders' was deleted and made anew"):
        going_on().check_known({"orders": "id-2"}, ["orders"])
    with pytest.raises(StreamsError, match="must be a streaming DataFrame, as at the first start"):
        going_on().add_inputs({"orders": "batch"}, topics(orders=9))


def test_offsets_that_the_broker_forgot_are_those_of_the_last_end() -> None:
    opened = going_on()
    assert opened.forgotten_offsets({}) == {}
    at_end: Offsets = {
        "orders": {"0": (9, "t"), "1": (4, "t")},
        "app-x-repartition": {"0": (5, "")},
    }
    opened.note_offsets(at_end, is_running=False)
    assert opened.forgotten_offsets(at_end) == {}
    assert opened.forgotten_offsets({}) == at_end
    some: Offsets = {"orders": {"1": (4, "t")}}
    assert opened.forgotten_offsets(some) == {
        "orders": {"0": (9, "t")},
        "app-x-repartition": {"0": (5, "")},
    }


def test_offsets_of_topics_that_were_deleted_are_dropped() -> None:
    opened = going_on()
    opened.record.inputs["customers"] = CarriedInput("id-customers", "batch")
    known: Offsets = {
        "orders": {"0": (9, "t"), "1": (4, "t")},
        "customers": {"0": (3, "")},
        "app-x-repartition": {"0": (5, "")},
        "app-y-repartition": {"0": (5, "")},
        "app-z-repartition": {"0": (5, "")},
    }
    opened.note_offsets(known, is_running=False)
    # One partition of the orders is left, customers were made anew, and so was one of the others.
    now = topics(orders=9, customers=30, **{"app-y-repartition": 4, "app-z-repartition": 5})
    made_anew = CarrierTopics(now.cluster, {**now.ids, "customers": "id-2"}, now.ends)
    gone = opened.drop_gone(opened.forgotten_offsets({}), made_anew)
    left: Offsets = {"orders": {"0": (9, "t")}, "app-z-repartition": {"0": (5, "")}}
    assert opened.forgotten_offsets({}) == opened.record.offsets == left
    assert gone == {
        "orders": {"1": (4, "t")},
        "customers": {"0": (3, "")},
        "app-x-repartition": {"0": (5, "")},
        "app-y-repartition": {"0": (5, "")},
    }


def test_what_a_killed_run_did_not_know_of_is_asked_for_until_it_is_committed() -> None:
    opened = going_on()
    repartition = "app-x-repartition"
    opened.note_offsets({"orders": {"0": (0, "")}}, is_running=True)
    now = topics(orders=9, others=3, empty=0, **{repartition: 7})
    read = ["orders", "empty", repartition]
    assert opened.add_unknown({}, now, read) == [repartition, "orders"]
    said = str(opened.unknown_offsets([repartition, "orders"]))
    assert f"how far topic '{repartition}', 'orders' was read" in said
    by_hand: Offsets = {"orders": {"0": (9, "")}}
    assert opened.add_unknown(by_hand, now, read) == [repartition]
    assert opened.forgotten_offsets({**by_hand, repartition: {"0": (7, "")}}) == {}


def test_an_input_of_which_nothing_is_committed_begins_at_its_first_record() -> None:
    opened = going_on()
    opened.record.inputs["customers"] = CarriedInput("id-customers", "batch")
    opened.record.inputs["global"] = CarriedInput("id-global", "batch")
    ends = {0: 9, 1: 0, 2: 0}
    now = CarrierTopics("cluster", {}, {"orders": ends, "customers": {0: 0}, "totals": {0: 3}})
    opened.note_offsets({"orders": {"1": (5, "")}}, is_running=False)
    read = ["orders", "customers", "totals"]
    begin = [("customers", 0), ("orders", 2)]
    assert opened.places_to_begin({"orders": {"0": (9, "t")}}, now, read) == begin


def test_what_was_known_of_an_input_that_is_not_read_now_is_kept() -> None:
    opened = going_on()
    opened.note_offsets({"orders": {"0": (9, "t")}, "gone": {"0": (1, "")}}, is_running=False)
    opened.note_offsets({"new": {"0": (2, "")}}, is_running=False)
    assert opened.record.offsets == {"orders": {"0": (9, "t")}, "new": {"0": (2, "")}}

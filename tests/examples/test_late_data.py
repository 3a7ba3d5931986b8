"""The late data example, in the test driver."""

from __future__ import annotations

from examples.late_data import Minute, Reading, minute, reading, sensor_minute, text, topology
from penstock import Windowed
from penstock.testing import TopologyTestDriver


def test_a_minute_comes_out_once_and_what_is_too_late_is_set_aside() -> None:
    with TopologyTestDriver(topology()) as driver:
        readings = driver.create_input_topic("readings", text, reading)
        averages = driver.create_output_topic("minute-averages", sensor_minute, minute)
        late = driver.create_output_topic("late-readings", text, reading)
        for second, celsius in ((10, 20.0), (50, 22.0), (74, 30.0), (59, 24.0)):
            readings.pipe_input("dam", Reading(celsius), timestamp=second * 1000)
        assert averages.read_key_values() == []
        readings.pipe_input("dam", Reading(31.0), timestamp=75_000)
        closed = Minute(3, 66.0)
        assert averages.read_key_values() == [(Windowed("dam", 0, 60_000), closed)]
        assert closed.average == 22.0

        assert late.read_records() == []
        readings.pipe_input("dam", Reading(19.0), timestamp=59_999)
        (record,) = late.read_records()
        assert (record.key, record.value, record.timestamp) == ("dam", Reading(19.0), 59_999)
        told = {name: value for name, value in record.headers if "operator" not in name}
        assert told == {
            "__penstock.late.window": b"[0,60000)",
            "__penstock.late.stream_time": b"75000",
        }
        assert averages.read_key_values() == []

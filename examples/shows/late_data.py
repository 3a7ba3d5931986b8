"""Sensors: most send at once, some a little late, and now and then one has been out of reach."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from examples.late_data import Minute, Reading, minute, reading, sensor_minute, topology, windows
from examples.late_data import settings as settings_of_program
from examples.stage.lifelike import between, chance, happens, pick
from examples.stage.show import Answer, Message, Show, Stored
from examples.stage.tables import ROWS, beside, clock, table
from penstock import Windowed

SENSORS = (
    "boiler",
    "cellar",
    "dam",
    "gate",
    "hall",
    "intake",
    "roof",
    "sluice",
    "tower",
    "turbine",
)


class LateData(Show):
    name = "late_data"
    about = "one result for each minute, when it is closed; what is too late goes to a topic"
    inputs = ("readings",)
    outputs = ("minute-averages", "late-readings")
    rate, step_ms = 60, 500
    settings = settings_of_program

    def __init__(self) -> None:
        self._minutes: dict[Windowed[str], Minute] = {}
        self._late: list[tuple[str, str, str, str]] = []
        self._late_counts: Counter[str] = Counter()

    topology = staticmethod(topology)

    def messages(self, number: int, at: int) -> Iterator[Message]:
        sensor = pick(SENSORS, "sensor", number, favour=1.3)
        celsius = round(15 + 10 * chance("celsius", number), 1)
        behind = 0
        if happens(0.1, "late", number):
            behind = between(1_000, 20_000, "how late", number)
        elif happens(0.02, "very late", number):
            behind = between(60_000, 600_000, "how very late", number)
        value = reading.serialize("", Reading(celsius))
        yield Message("readings", sensor.encode(), value, at - behind)

    def take(self, record: Stored) -> None:
        if record.topic == "minute-averages":
            self._minutes.update(_minutes([record]))
            return
        sensor = (record.key or b"").decode()
        told = {name: (data or b"").decode() for name, data in record.headers}
        (missed,) = windows.windows_for(record.timestamp)
        stream_time = int(told["__penstock.late.stream_time"])
        late = f"{(stream_time - windows.close_time(missed)) / 1000:.1f} s"
        row = (clock(record.timestamp), sensor, clock(missed.start), late)
        self._late = [*self._late, row][-ROWS:]
        self._late_counts[sensor] += 1

    def lines(self) -> list[str]:
        latest = sorted(self._minutes.items(), key=lambda item: (-item[0].start, item[0].key))
        rows = [
            (clock(place.start), place.key, value.count, value.average)
            for place, value in latest[:ROWS]
        ]
        return beside(
            table(
                f"CLOSED MINUTES ({len(self._minutes):,})",
                ("minute", "sensor", "readings", "average"),
                rows,
            ),
            table(
                f"TOO LATE ({self._late_counts.total():,})",
                ("time", "sensor", "missed", "too late by"),
                self._late[::-1],
            ),
        )

    def expected(self, inputs: Iterable[Stored]) -> Answer:
        time: dict[int, int] = defaultdict(lambda: -1)
        partition_of: dict[str, int] = {}
        minutes: dict[Windowed[str], Minute] = defaultdict(Minute)
        late: Counter[tuple[str, int, bytes]] = Counter()
        for record in inputs:
            sensor, value = (record.key or b"").decode(), reading.deserialize("", record.value)
            assert value
            now = time[record.partition] = max(time[record.partition], record.timestamp)
            (window,) = windows.windows_for(record.timestamp)
            if windows.close_time(window) <= now:
                late[sensor, record.timestamp, record.value or b""] += 1
                continue
            place = Windowed(sensor, *window)
            minutes[place] = minutes[place].plus(value)
            partition_of[sensor] = record.partition
        closed = {
            place: value
            for place, value in minutes.items()
            if windows.close_time(place) <= time[partition_of[place.key]]
        }
        return {"minutes": closed, "late": late}

    def actual(self, outputs: Iterable[Stored]) -> Answer:
        outputs = list(outputs)
        closed = [record for record in outputs if record.topic == "minute-averages"]
        minutes = _minutes(closed)
        late = Counter(
            ((record.key or b"").decode(), record.timestamp, record.value or b"")
            for record in outputs
            if record.topic == "late-readings"
        )
        # Each minute must come out once.
        return {"minutes": minutes if len(minutes) == len(closed) else closed, "late": late}


def _minutes(records: Iterable[Stored]) -> dict[Windowed[str], Minute]:
    found = {}
    for record in records:
        place = sensor_minute.deserialize("", record.key)
        value = minute.deserialize("", record.value)
        assert place
        assert value
        found[place] = value
    return found

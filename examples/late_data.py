"""Late data: readings of sensors in, the average of each minute out; what comes too late for its
minute goes to a topic of its own.

    python -m examples late_data          live, with sensors that lose their connection
    penstock run examples/late_data.py    the program alone

It shows final results (one for each minute, when it is closed), a grace for those that are a little
late, and `late_to`: a reading that is too late is not dropped but written to `late-readings` as it
was, with headers that say which window it missed and what stream time it was.
"""

from dataclasses import dataclass
from datetime import timedelta

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
    serdes,
)


@dataclass
class Reading:
    celsius: float


@dataclass
class Minute:
    count: int = 0
    sum: float = 0.0

    def plus(self, reading: Reading) -> "Minute":
        return Minute(self.count + 1, self.sum + reading.celsius)

    @property
    def average(self) -> float:
        return self.sum / self.count


text = serdes.string()
reading, minute = serdes.json(Reading), serdes.json(Minute)

windows = TimeWindows.of_size(timedelta(minutes=1), grace=timedelta(seconds=15))
sensor_minute = serdes.time_windowed(text, windows.size_ms)

settings = {"application.id": "late-data", "processing.guarantee": "exactly_once_v2"}


def topology() -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("readings", Consumed(key=text, value=reading))
        .group_by_key(Grouped(key=text, value=reading))
        .windowed_by(windows)
        .late_to("late-readings", Produced(key=text, value=reading))
        .aggregate(
            Minute,
            lambda sensor, reading, minute: minute.plus(reading),
            Materialized("minutes", key=text, value=minute),
        )
        .suppress(Suppressed.until_window_closes(name="closed-minutes"))
        .to_stream()
        .to("minute-averages", Produced(key=sensor_minute, value=minute))
    )
    return builder.build()


if __name__ == "__main__":
    KafkaStreams(topology(), settings).run()

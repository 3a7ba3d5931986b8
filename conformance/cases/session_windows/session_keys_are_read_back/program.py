"""Session keys hold end and start, and are read with the serde of sessions."""

from collections.abc import Callable

from penstock import Consumed, Materialized, SessionWindows, StreamsBuilder, Topology, serdes


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    text, number = serdes.string(), serdes.long()
    keys = serdes.session_windowed(text)
    stream = builder.stream("in", Consumed(key=text, value=text))
    sessions = stream.group_by_key().windowed_by(SessionWindows.of_inactivity_gap(10))
    sessions.count(Materialized("counts")).to_stream().to("middle")
    back = builder.stream("middle", Consumed(key=keys, value=number))
    back.map(lambda key, count: (f"{key.key} {key.start} {key.end}", str(count))).to("out")
    return builder.build()

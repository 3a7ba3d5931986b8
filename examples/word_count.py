"""Word count: lines of text in, a count for each word out.

    python -m examples word_count          live, with lines that are written for it
    penstock run examples/word_count.py    the program alone (or: python examples/word_count.py)

Nothing else is needed: without `bootstrap.servers` a local broker is started, and the topics
`lines` and `word-counts` are made there. In another terminal, see what comes out:

    penstock consume word-counts --value long
"""

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    Topology,
    serdes,
)

text, number = serdes.string(), serdes.long()


def topology() -> Topology:
    builder = StreamsBuilder()
    (
        builder.stream("lines", Consumed(key=text, value=text))
        .flat_map_values(lambda line: line.lower().split())
        .group_by(lambda _, word: word, Grouped("by-word", key=text, value=text))
        .count(Materialized("counts", key=text, value=number))
        .to_stream()
        .to("word-counts", Produced(key=text, value=number))
    )
    return builder.build()


if __name__ == "__main__":
    # Under exactly-once, work is committed and results appear ten times a second.
    settings = {"application.id": "word-count", "processing.guarantee": "exactly_once_v2"}
    KafkaStreams(topology(), settings).run()

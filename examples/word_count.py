"""Word count: lines of text in, a count for each word out.

    penstock run examples/word_count.py      (or: python examples/word_count.py)

Nothing else is needed: without `bootstrap.servers` a local broker is started, and the topics
`lines` and `word-counts` are made there. In another terminal, write lines and see what comes out:

    penstock send lines
    penstock show word-counts --value long
"""

from penstock import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    StreamsBuilder,
    serdes,
)

text, number = serdes.string(), serdes.long()

builder = StreamsBuilder()
(
    builder.stream("lines", Consumed(key=text, value=text))
    .flat_map_values(lambda line: line.lower().split())
    .group_by(lambda _, word: word, Grouped("by-word", key=text, value=text))
    .count(Materialized("counts", key=text, value=number))
    .to_stream()
    .to("word-counts", Produced(key=text, value=number))
)
topology = builder.build()

if __name__ == "__main__":
    # Under exactly-once, work is committed and results appear ten times a second.
    settings = {"application.id": "word-count", "processing.guarantee": "exactly_once_v2"}
    KafkaStreams(topology, settings).run()

"""The classic: lines into words, words into counts, all names generated."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    words = builder.stream("in").flat_map_values(lambda line: line.lower().split())
    counts = words.group_by(lambda key, word: word).count()
    counts.to_stream().to("out")
    counts.to_stream().filter(lambda word, count: count > 1).to("often")
    return builder.build()

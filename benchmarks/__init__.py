"""Penstock measured side by side with Java Kafka Streams and others: `python -m benchmarks`."""

"""The metrics of Kafka Streams for a program with every kind of store, recorded from Java.

`MetricNames.java` writes `java_metrics.jsonl`: name, group, tags, level, and how often each store
operation was called (`python -m conformance.metrics` records them anew). `every_store.py` is the
same program, and what is piped into it.
"""

"""Kafka clients: construction, bulk I/O, security, errors, topics and offsets."""

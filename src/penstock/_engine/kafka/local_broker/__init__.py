"""A Kafka broker on this machine: its jars, its Java, its process."""

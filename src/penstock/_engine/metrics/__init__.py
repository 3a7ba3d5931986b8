"""Watch it: what a task counts, under Kafka Streams' names."""

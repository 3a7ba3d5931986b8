"""What a task counts, under Kafka Streams' metric names."""

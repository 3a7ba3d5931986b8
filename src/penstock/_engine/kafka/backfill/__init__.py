"""Going live from history: what a bounded job writes to Kafka, once each, and how it hands over."""

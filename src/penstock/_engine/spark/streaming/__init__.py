"""A live application as one Structured Streaming query."""

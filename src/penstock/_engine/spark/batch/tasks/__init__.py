"""A bounded run inside a Python worker of Spark: its tasks, from first to last record."""

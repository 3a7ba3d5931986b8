"""From a record to the bytes that leave a task."""

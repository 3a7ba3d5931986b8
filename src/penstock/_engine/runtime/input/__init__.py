"""From the bytes of a partition to the next record of a task."""

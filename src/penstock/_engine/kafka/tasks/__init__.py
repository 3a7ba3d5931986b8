"""The tasks that the group assigns to a worker: opened, restored, read, copied as standbys."""

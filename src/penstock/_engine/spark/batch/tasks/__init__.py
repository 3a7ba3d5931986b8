"""The part of a bounded run in the Python workers: runs the tasks of a stage on their records."""

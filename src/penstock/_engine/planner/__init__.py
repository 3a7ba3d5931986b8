"""Plan it: from a topology to tasks, as data, and from operations to running code."""

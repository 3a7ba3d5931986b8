"""The control plane: what the driver and its workers tell each other. It does without pyspark."""

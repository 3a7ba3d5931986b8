"""The control plane: messages between the driver and its workers. It does not import pyspark."""

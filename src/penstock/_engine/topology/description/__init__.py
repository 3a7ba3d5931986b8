"""`Topology.describe()`: the topology as plain data and as Java's text."""

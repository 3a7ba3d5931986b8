"""The graph and the topology of a program: nodes, names, checks, rewrites, `describe()`."""

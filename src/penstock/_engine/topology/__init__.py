"""The graph and the topology of a program: frozen nodes, names, checks, rewrites, sub-topologies, `describe()`."""

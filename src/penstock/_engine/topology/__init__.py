"""Draw it: frozen nodes, names, checks, rewrites, sub-topologies, `describe()`."""

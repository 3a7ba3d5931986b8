"""HTTP over a running application: stores, topology, tasks and health. Pure functions decide."""

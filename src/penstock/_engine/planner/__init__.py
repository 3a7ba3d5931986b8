"""Plans a topology: tasks, stores and internal topics as data, and the operator of each operation."""

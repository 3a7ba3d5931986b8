"""Plans a topology as data (tasks, stores, internal topics), and maps operations to operators."""

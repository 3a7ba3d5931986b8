"""The stores of a task, made from its plan."""

"""Getting the user's functions and classes to the executors."""

"""Files of local state: directories, locks, crash logs."""

"""Files of local state: directories, locks, traces of dead processes."""

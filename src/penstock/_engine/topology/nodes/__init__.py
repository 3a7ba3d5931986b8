"""The nodes of a topology and their operations, as frozen data."""

"""What the nodes of a topology do, as frozen data."""

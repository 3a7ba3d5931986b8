"""The parts of the engine that are in C."""

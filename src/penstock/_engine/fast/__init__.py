"""All C of the engine: one compiled module, `_fast`, which `choice.py` chooses or not."""

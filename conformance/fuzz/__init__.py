"""Random programs, run by Java and by Python, that must do the same: `make fuzz`.

A program is a description, a piece of JSON that `interpret.py` and `DescribedProgram.java` both
turn into a topology.
"""

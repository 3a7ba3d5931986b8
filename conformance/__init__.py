"""The conformance suite: one program in Python and in Java, one input, and what Java made of it.

`cases/<verb>/` holds a folder per case, `oracle/` the Java side. `harness` runs a case in Python,
`java` runs cases in Java; `run` compares and `record` writes expectations anew.
"""

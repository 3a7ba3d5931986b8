"""Do it: what each operation does with a record. One file per stateful verb, one for all stateless
ones.
"""

"""What each operation does with a record: a file per stateful verb, one for all stateless ones."""

"""The stores of an application as tables: rows with typed columns, read from changelogs."""

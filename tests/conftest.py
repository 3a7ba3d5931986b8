"""Fixtures that tests of all kinds share."""

pytest_plugins = ["penstock.testing.broker"]

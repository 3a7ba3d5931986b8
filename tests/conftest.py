"""What tests of all kinds share: the broker, and how properties are tried."""

from hypothesis import settings

pytest_plugins = ["penstock.testing.broker"]

# The same examples each time: a suite that fails at random is soon not believed. Whoever looks for
# new ones says so: pytest --hypothesis-profile=wide.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("wide", max_examples=2_000, deadline=None)
settings.load_profile("suite")

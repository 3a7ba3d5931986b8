"""The Spark of the tests on Spark, for the few mistakes that need one."""

from tests.spark.conftest import spark

__all__ = ["spark"]

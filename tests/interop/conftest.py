"""The session of the tests on Spark serves here, too."""

from tests.spark.conftest import spark

__all__ = ["spark"]

"""Test a topology without Spark, broker or JVM: the same runtime, one task, a clock that you
move.
"""

from penstock.testing.driver import TopologyTestDriver
from penstock.testing.mock_context import CapturedForward, CapturedPunctuator, MockProcessorContext
from penstock.testing.topics import TestInputTopic, TestOutputTopic, TestRecord

__all__ = [
    "CapturedForward",
    "CapturedPunctuator",
    "MockProcessorContext",
    "TestInputTopic",
    "TestOutputTopic",
    "TestRecord",
    "TopologyTestDriver",
]

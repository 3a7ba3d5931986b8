"""Commits of the sink: which are tried again."""

from __future__ import annotations

from typing import Any

import pytest

from penstock._engine.kafka.client.client_errors import BrokerAway, CommitUnanswered
from penstock._engine.kafka.sink.journal import JournalPlace, sink_settings
from penstock._engine.kafka.sink.sink_transactions import SinkTransactions
from penstock.errors import StreamsError


class Answered(SinkTransactions):
    """Has its commits answered as told, without a broker."""

    def __init__(self, *answers: StreamsError | None) -> None:
        config = sink_settings({"bootstrap.servers": "127.0.0.1:1"}, "q")
        super().__init__(config, JournalPlace.of_query("q"), "0")
        self.answers = list(answers)

    def commit(self, offsets: Any, group_metadata: Any, marks: Any = ()) -> bool:
        if (answer := self.answers.pop(0)) is not None:
            raise answer
        return True


def test_a_commit_that_was_not_answered_is_tried_again() -> None:
    transactions = Answered(CommitUnanswered("slow"), CommitUnanswered("slow"), None)
    transactions.finish()
    assert not transactions.answers


def test_a_record_that_was_not_written_in_time_fails_at_once() -> None:
    transactions = Answered(BrokerAway("a record could not be written"), None)
    with pytest.raises(BrokerAway, match="a record"):
        transactions.finish()
    assert len(transactions.answers) == 1

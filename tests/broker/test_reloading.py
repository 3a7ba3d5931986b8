"""`penstock run --dev`: a program that is changed while it runs, against a real broker."""

from __future__ import annotations

from pathlib import Path

from penstock.testing.broker import LocalBroker
from tests.broker.applications import latest, write
from tests.terminal import CTRL_C, Terminal, shown

PROGRAM = """
from penstock import Consumed, KafkaStreams, Materialized, Produced, StreamsBuilder, serdes
from spelling import spell

text, number = serdes.string(), serdes.long()
builder = StreamsBuilder()
(
    builder.stream("reload-in", Consumed(text, text))
    .group_by_key()
    .count(Materialized("counts", text, number))
    .to_stream()
    .map_values(spell)
    .to("reload-out", Produced(text, text))
)
settings = {"application.id": "reload", "processing.guarantee": "exactly_once_v2"}
KafkaStreams(builder.build(), settings).run()
"""


def test_a_change_starts_it_again_and_nothing_is_lost_or_counted_twice(
    kafka_broker: LocalBroker, tmp_path: Path
) -> None:
    kafka_broker.create_topic("reload-in", 2)
    kafka_broker.create_topic("reload-out", 2)
    program, module = tmp_path / "app.py", tmp_path / "spelling.py"
    program.write_text(PROGRAM)
    module.write_text("spell = str\n")
    write(kafka_broker, "reload-in", [("a", "x")])
    servers = kafka_broker.bootstrap_servers
    terminal = Terminal(
        *("run", "--dev", str(program), "--bootstrap-servers", servers),
        *("--set", f"state.dir={tmp_path / 'state'}"),
        home=tmp_path,
    )
    try:
        terminal.read_until(lambda text: "total 1 in, 1 out" in text)
        assert latest(kafka_broker, "reload-out") == {"a": "1"}
        module.write_text("def spell(:\n")
        terminal.read_until(lambda text: "it is started again when a file changes" in text)
        write(kafka_broker, "reload-in", [("a", "x"), ("b", "x")])
        begin = len(terminal.text)
        module.write_text("def spell(count):\n    return f'<{count}>'\n")
        terminal.read_until(lambda text: "total 2 in, 2 out" in text[begin:])
        terminal.press(CTRL_C)
        assert terminal.exit_code() == 0, terminal.text
    finally:
        terminal.close()
    assert latest(kafka_broker, "reload-out") == {"a": "<2>", "b": "<1>"}
    said = shown(terminal.text)
    assert "development host: one worker in this process; Spark is the host for production" in said
    assert "development host; Spark is for production" in said
    assert "SyntaxError: invalid syntax (spelling.py, line 1)" in said
    assert "spelling.py has changed" in said
    assert "Traceback" not in said

"""Timers of stream time and of wall-clock time: when they fire, and that they can be cancelled."""

from collections.abc import Callable

from penstock import Processor, ProcessorContext, PunctuationType, Record, Topology


def topology(log: Callable[[str], None]) -> Topology:
    class Ticker(Processor[str, str, str, str]):
        def init(self, context: ProcessorContext[str, str]) -> None:
            super().init(context)
            log("init")
            context.schedule(
                10, PunctuationType.STREAM_TIME, lambda time: self.tick("stream", time)
            )
            self.wall_clock = context.schedule(
                100, PunctuationType.WALL_CLOCK_TIME, lambda time: self.tick("wall", time)
            )

        def tick(self, kind: str, time: int) -> None:
            log(f"{kind} {time}")
            self.context.forward(Record(kind, str(time), time))

        def process(self, record: Record[str, str]) -> None:
            if record.value == "cancel":
                self.wall_clock.cancel()
            self.context.forward(record)

        def close(self) -> None:
            log("close")

    result = Topology()
    result.add_source("source", "in")
    result.add_processor("ticker", Ticker, "source")
    result.add_sink("sink", "out", "ticker")
    return result

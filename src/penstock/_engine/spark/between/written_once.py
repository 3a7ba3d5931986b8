"""A batch DataFrame into a topic, once, however often the program is killed and started again.

The sink knows what is written by query and batch. So a query of one batch, whose checkpoint is in
the folder of the run, writes the DataFrame in place of its own row: killed in the middle, the same
batch of the same query runs again, and only what is missing is written.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from penstock._engine.spark.between.live_inputs import LiveInput
from penstock._engine.spark.dataframes.sink_stream import StreamingQuery, batch_writer


def write_once(one: LiveInput, checkpoint: str, name: str) -> StreamingQuery:
    """Start the query that writes a batch DataFrame and ends."""
    write = batch_writer(one.options, one.topic, None)

    def write_frame(_row: DataFrame, number: int) -> None:
        # A run that was killed after the first batch begins a second.
        if number == 0:
            write(one.frame, number)

    row = one.frame.sparkSession.readStream.format("rate-micro-batch").option("rowsPerBatch", 1)
    writer = row.load().writeStream.option("checkpointLocation", checkpoint).queryName(name)
    return writer.trigger(availableNow=True).foreachBatch(write_frame).start()

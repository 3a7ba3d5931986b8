"""A stream that is joined with itself needs its records only once.

Two streams of one topic count as one: their sources have been shared before. Java does not ask
which kind of join it is: a left or outer one is rewritten too, since every record matches itself,
and then drops records without a key. Java: InternalStreamsBuilder.rewriteSingleStoreSelfJoin.
"""

from __future__ import annotations

from dataclasses import replace

from penstock._engine.topology.graph import Process, Step, StreamJoin


def single_store_self_joins(steps: dict[int, Step]) -> dict[int, Step]:
    """Let each join of a stream with itself keep one store instead of two."""
    rewritten = dict(steps)
    by_name = {step.drawing.name: index for index, step in steps.items()}
    for index, step in steps.items():
        join = step.drawing
        if isinstance(join, StreamJoin) and len(step.parents) == 1:
            del rewritten[by_name[join.other_kept_by]]
            alone = Process(join.name, join.alone)
            rewritten[index] = replace(step, drawing=alone, parents=(by_name[join.this_kept_by],))
    return rewritten

"""What a start finds: a new run, or one that goes on. Nothing is mixed, nothing is lost silently.

The record in the folder says which topics, of which cluster, hold what the checkpoints beside it
say is written. Other topics under the same names would miss it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from penstock._engine.kafka.application.carrier_topics import CarrierTopics, Offsets
from penstock._engine.spark.between.run_folder import ROUTED, CarriedInput, Kind, RunRecord
from penstock.errors import StreamsError

_KINDS = {"stream": "a streaming DataFrame", "batch": "a batch DataFrame"}


def opened_record(
    record: RunRecord | None, application: str, cluster: str, location: str
) -> OpenedRecord:
    """Return the record of a run that goes on, or of a new one.

    Raises:
        StreamsError: it ran on another cluster.
    """
    if record is not None and record.cluster != cluster:
        msg = (
            f"folder {location} is that of a run on cluster {record.cluster}, whose topics hold "
            f"what its checkpoints say is written; this is cluster {cluster}; start it there, or "
            "anew with another folder"
        )
        raise StreamsError(msg)
    return OpenedRecord(record or RunRecord(application, cluster), location, record is None)


@dataclass(frozen=True, slots=True)
class OpenedRecord:
    """The record of a run while it is started."""

    record: RunRecord
    location: str
    is_new: bool

    def check_known(self, ids: Mapping[str, str], inputs: Iterable[str]) -> None:
        """Refuse to go on if a topic that holds one of these inputs is gone, or was made anew.

        Raises:
            StreamsError: it says which.
        """
        known = self.record.inputs
        for topic in inputs:
            if topic in known and ids.get(topic) != known[topic].topic_id:
                what = "is gone" if topic not in ids else "was deleted and made anew"
                msg = (
                    f"topic {topic!r} {what}, and with it what the checkpoints in {self.location} "
                    "say is written; start anew with another folder and another 'application.id'"
                )
                raise StreamsError(msg)

    def add_inputs(
        self, kinds: Mapping[str, Kind], topics: CarrierTopics, initial: Collection[str] = ()
    ) -> bool:
        """Add the inputs that are new; return whether there are any. Streams of the topics in
        `initial` begin with a DataFrame.

        Raises:
            StreamsError: the topic of a new input has records, an input is of another kind now, or
                an `initial` that is written in part is left out.
        """
        known = self.record.inputs
        for topic in initial:
            if topic in known and not known[topic].has_initial:
                msg = (
                    f"table({topic!r}, initial=...) was not there at the first start with folder "
                    f"{self.location}: its rows would overwrite newer ones; leave it out, or write "
                    "the rows as changes"
                )
                raise StreamsError(msg)
        for topic in kinds.keys() & known.keys() - set(initial):
            if known[topic].has_initial and not known[topic].is_written:
                msg = (
                    f"table({topic!r}, initial=...) was being written when the last start with "
                    f"folder {self.location} ended, and some of its rows may be missing; give the "
                    "same initial=... again, and the rest is written"
                )
                raise StreamsError(msg)
        for topic, kind in kinds.items():
            if topic in known and known[topic].kind != kind:
                msg = (
                    f"input {topic!r} must be {_KINDS[known[topic].kind]}, as at the first start "
                    f"with folder {self.location}; got {_KINDS[kind]}"
                )
                raise StreamsError(msg)
        new = {topic: kind for topic, kind in kinds.items() if topic not in known}
        for topic in new:
            if topics.is_used(topic):
                msg = (
                    f"topic {topic!r} has records already, and folder {self.location} does not "
                    "know of them: the application would read them with those of the DataFrame; "
                    "give the folder of the run that wrote them, to go on; or, to start anew, "
                    "delete the topic or rename it in the topology"
                )
                raise StreamsError(msg)
        for topic, kind in new.items():
            known[topic] = CarriedInput(topics.ids[topic], kind, has_initial=topic in initial)
        return bool(new)

    def forgotten_offsets(self, committed: Offsets) -> Offsets:
        """Return what the record has and the broker has not, or no more."""
        return _without(self.record.offsets, committed)

    def drop_gone(self, forgotten: Offsets, topics: CarrierTopics) -> Offsets:
        """Remove from the record what it has of topics that were deleted, or deleted and made anew;
        a broker drops committed offsets with their topic. Return it.
        """
        gone = {
            topic: {
                number: at
                for number, at in places.items()
                if not self._is_there(topic, int(number), at[0], topics)
            }
            for topic, places in forgotten.items()
        }
        self.record.offsets = _without(self.record.offsets, gone)
        return {topic: places for topic, places in gone.items() if places}

    def _is_there(self, topic: str, number: int, offset: int, topics: CarrierTopics) -> bool:
        if number not in topics.ends.get(topic, {}):
            return False
        if topic in self.record.inputs:
            return topics.ids[topic] == self.record.inputs[topic].topic_id
        # Of a repartition topic no id is known.
        return offset <= topics.ends[topic][number]

    def add_unknown(
        self, committed: Offsets, topics: CarrierTopics, read: Collection[str]
    ) -> list[str]:
        """Add to the record the partitions with records of topics that are `read` and of which
        nothing is committed; return all topics of the record with such partitions.
        """
        for topic in sorted(set(read) & topics.ends.keys()):
            places = self.record.offsets.get(topic, {})
            used = {str(number): (0, "") for number, end in topics.ends[topic].items() if end}
            missing = _without({topic: used}, {topic: {**places, **committed.get(topic, {})}})
            self.record.offsets |= {one: {**places, **added} for one, added in missing.items()}
        return sorted(self.forgotten_offsets(committed).keys() & set(read))

    def unknown_offsets(self, topics: Iterable[str]) -> StreamsError:
        """Return why a run cannot go on without the committed offsets of these topics."""
        msg = (
            f"the broker has forgotten how far topic {', '.join(map(repr, topics))} was read "
            f"('offsets.retention.minutes'), and the last run with folder {self.location} was "
            "killed before it could note it there: all records would be processed again; commit "
            "the offsets to go on from, of all these topics, or start anew with another folder and "
            "another 'application.id'"
        )
        return StreamsError(msg)

    def places_to_begin(
        self, committed: Offsets, topics: CarrierTopics, read: Collection[str]
    ) -> list[tuple[str, int]]:
        """Return the partitions of inputs among the `read` topics of which neither the broker nor
        the record has an offset.
        """
        return [
            (topic, number)
            for topic in sorted(self.record.inputs.keys() & set(read) & topics.ends.keys())
            for number in sorted(topics.ends[topic])
            if str(number) not in committed.get(topic, {})
            and str(number) not in self.record.offsets.get(topic, {})
        ]

    def note_offsets(self, committed: Offsets, *, is_running: bool) -> None:
        """Note what is committed. What was known of inputs that are not read now is kept."""
        record = self.record
        known = {topic: at for topic, at in record.offsets.items() if topic in record.inputs}
        record.offsets = {
            topic: {**known.get(topic, {}), **committed.get(topic, {})}
            for topic in sorted({*known, *committed})
        }
        record.is_running = is_running

    def is_output_new(self, name: str) -> bool:
        """Return whether the run has not known an output before."""
        if self.record.sinks is None:
            return self.is_new
        return name not in self.record.sinks

    def add_outputs(self, names: Iterable[str], topics: CarrierTopics) -> bool:
        """Add new outputs, and where they begin in topics that have records; return whether there
        are any. If one of them is `ROUTED`, `topics` must be all of the cluster that can
        be told.
        """
        names, before = list(names), self.record.sinks
        new = [name for name in names if self.is_output_new(name)]
        known = names if before is None else [*before, *new]
        # What records could name before may hold records of this run.
        begun = [one for one in new if one != ROUTED] if self.is_output_new(ROUTED) else []
        if ROUTED in new:
            begun += sorted(set(topics.ends) - {*known, *self.record.inputs})
        for topic in begun:
            if topics.is_used(topic):
                ends = {str(number): end for number, end in topics.ends[topic].items()}
                self.record.outputs.setdefault(topic, ends)
        self.record.sinks = known
        return known != before


def _without(offsets: Offsets, others: Offsets) -> Offsets:
    left = {
        topic: {number: at for number, at in numbers.items() if number not in others.get(topic, {})}
        for topic, numbers in offsets.items()
    }
    return {topic: numbers for topic, numbers in left.items() if numbers}

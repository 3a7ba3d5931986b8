"""Each verb that fails drops the record for itself; one bad record may be counted many times."""

from collections.abc import Callable

from penstock import Printed, StreamsBuilder, Topology
from penstock.handlers import LogAndContinueProcessingExceptionHandler


def check(key: str, value: str) -> bool:
    if value == "bad":
        raise ValueError("this is bad")
    return False


CONFIG: dict[str, object] = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler
}


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    stream.filter(check).for_each(lambda key, value: log("filter"))
    stream.filter_not(check).for_each(lambda key, value: log("filter-not"))
    stream.map(lambda key, value: (key, check(key, value))).for_each(lambda key, value: log("map"))
    stream.map_values_with_key(check).for_each(lambda key, value: log("map-values"))
    stream.flat_map(lambda key, value: [(key, check(key, value))]).for_each(
        lambda key, value: log("flat-map")
    )
    stream.flat_map_values_with_key(lambda key, value: [check(key, value)]).for_each(
        lambda key, value: log("flat-map-values")
    )
    stream.select_key(check).for_each(lambda key, value: log("select-key"))
    stream.peek(check).for_each(lambda key, value: log("peek"))
    stream.split(named="split-").branch(check).default_branch()["split-0"].for_each(
        lambda key, value: log("split")
    )
    stream.for_each(check)
    stream.print(Printed.to_sys_out(mapper=lambda key, value: str(check(key, value)).lower()))
    return builder.build()

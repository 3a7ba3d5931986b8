"""Predicates are asked in order until one accepts; the ones behind it are not called."""

from collections.abc import Callable

from penstock import StreamsBuilder, Topology


def topology(log: Callable[[str], None]) -> Topology:
    builder = StreamsBuilder()

    def asked(name: str, answer: str) -> Callable[[str, str], bool]:
        def predicate(key: str, value: str) -> bool:
            log(f"{name}? {value}")
            return value == answer

        return predicate

    branches = (
        builder.stream("in")
        .split(named="split-")
        .branch(asked("x", "x"))
        .branch(asked("y", "y"))
        .branch(asked("z", "z"))
        .default_branch()
    )

    def tell(name: str) -> Callable[[str, str], None]:
        return lambda key, value: log(f"{name} {value}")

    for name in sorted(branches):
        branches[name].for_each(tell(name))
    return builder.build()

"""Every pair of actors from every start."""

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from typing import NamedTuple

from tests.proof import starts
from tests.proof.actors import DOCUMENT, EVERYONE, HOLDERS
from tests.proof.explorer import Explored, Explorer
from tests.proof.replay import Actor
from tests.proof.rooms import OUT, rooms_of
from tests.proof.starts import Setting
from tests.proof.verdict import SECOND, Verdict
from tests.proof.writes import wrong_with

from blobforge.testing.builders import hash_of


class Pair(NamedTuple):
    start: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.start}: {self.first}, {self.second}"


def parse_pair(text: str) -> Pair:
    """Of "start: first, second"."""
    start, _, actors = text.partition(": ")
    first, _, second = actors.partition(", ")
    known = set(all_pairs())
    for pair in (Pair(start, first, second), Pair(start, second, first)):
        if pair in known:
            return pair
    raise ValueError(f'{text!r} is no pair; one is, for example, "waiting: fails, cancel"')


def all_pairs() -> Iterator[Pair]:
    for start in starts.ALONE:
        for first, second in combinations_with_replacement(EVERYONE, 2):
            yield Pair(start, first, second)
    for start in starts.WITH_A_HOLDER:
        for first in HOLDERS:
            for second in EVERYONE:
                yield Pair(start, first, second)
    for start in starts.LATE:
        for second in EVERYONE:
            yield Pair(start, "holder succeeds", second)


def explored(pair: Pair, *, faults: int, late: bool = False) -> Explored:
    first = Actor(pair.first, {**EVERYONE, **HOLDERS}[pair.first])
    second = Actor(pair.second + (SECOND if pair.first == pair.second else ""), EVERYONE[pair.second])
    setting = Setting(first)
    _start_of(pair)(setting)
    contents, now, holder = setting.prepared()
    document = hash_of(DOCUMENT)
    verdict = Verdict(document, rooms_of(contents, document), may_publish_late=pair.start in starts.LATE)
    return Explorer(
        [first, second],
        contents,
        verdict.on,
        faults=faults,
        late=late,
        now=now,
        watched=lambda key: key.startswith(OUT),
        check=wrong_with,
        standing_at=[holder or first.root, second.root],
    ).explore()


def _start_of(pair: Pair) -> Callable[[Setting], None]:
    return {**starts.ALONE, **starts.WITH_A_HOLDER, **starts.LATE}[pair.start]

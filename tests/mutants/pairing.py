"""Bugs in how a queue and a store find that they belong together."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_pairing = partial(Mutant, file="wiring/pairing.py", tests=suites.PAIRING)

PAIRING = [
    _pairing(
        name="pairing: the queue gets its identity before the store is marked",
        within="_pair",
        old="""
            _rewrite(shards, lambda there: [*there, ours])
            kept = opened.coordinator.identity(proposed, instead_of=before)
        """,
        new="""
            kept = opened.coordinator.identity(proposed, instead_of=before)
            _rewrite(shards, lambda there: [*there, ours])
        """,
    ),
    _pairing(
        name="pairing: the mark of the store is read before the identity of the queue",
        within="_judged",
        old="""
            identity = opened.coordinator.identity()
            for _ in range(MOST_TRIES):
                serves = _serves(shards)
                ...
        """,
        new="""
            serves = _serves(shards)
            identity = opened.coordinator.identity()
            for _ in range(MOST_TRIES):
                ...
        """,
    ),
    _pairing(
        name="pairing: an identity that changed meanwhile is judged by what was found before",
        within="_judged",
        old="identity == before",
        new="True",
    ),
]

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
        name="pairing: a queue takes the place of a lost one at its address",
        within="_finished",
        old="queue.id == ours.instead_of or (queue.is_begun and queue.called == ours.called)",
        new="queue.id == ours.instead_of or queue.called == ours.called",
        tests=suites.EARLIER_QUEUES,
    ),
    _pairing(
        name="pairing: a copy of a queue leaves no trace in the store",
        within="_with_this_place",
        old="[*there, here] if len(ours) == 1 else there",
        new="there",
        tests=suites.EARLIER_QUEUES,
    ),
    _pairing(
        name="pairing: a copy of a queue is taken for the queue",
        within="_is_here",
        old="host != socket.gethostname()",
        new="host == socket.gethostname()",
        tests=suites.EARLIER_QUEUES,
    ),
    _pairing(
        name="pairing: an identity that changed meanwhile is judged by what was found before",
        within="_judged",
        old="identity == before",
        new="True",
    ),
]

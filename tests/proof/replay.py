"""An actor that can be taken back to any of its requests, by running it again from its beginning.

What real code does next depends only on the replies that it got and on its clock. So an actor's state is the sequence
of these, and equal sequences need to be played once: the states of an actor form a tree, and a schedule is a walk
through the trees of its actors. Where a walk goes on from where a puppet stands, that puppet goes on; only where it
branches off is the past played to a new one.
"""

import itertools
from collections import OrderedDict

from tests.proof.puppet import BEGIN, Heard, Note, Play, Puppet

from blobforge.testing.simulated_client import S3Request

MOST_PUPPETS = 64


class Node:
    """An actor at one of its requests, or at its end (`request` is None)."""

    __slots__ = ("children", "error", "heard", "notes", "number", "parent", "request")

    def __init__(
        self,
        number: int,
        *,
        parent: "Node | None" = None,
        heard: Heard | None = None,
        request: S3Request | None,
        notes: tuple[Note, ...] = (),
        error: str | None = None,
    ) -> None:
        self.number = number
        self.parent = parent
        self.heard = heard
        self.request = request
        self.notes = notes
        self.error = error
        self.children: dict[Heard, Node] = {}


class NotDeterministic(Exception):
    """The same replies led to another request: the play draws chance or time from somewhere else."""


class Actor:
    """The tree of everything that an actor has been seen to do."""

    _numbers = itertools.count()

    def __init__(self, name: str, play: Play) -> None:
        self.name = name
        self._play = play
        self._standing: OrderedDict[int, Puppet] = OrderedDict()
        self.root = Node(next(self._numbers), request=BEGIN)

    def after(self, node: Node, heard: Heard) -> Node:
        """Where the actor stands when its request ended so."""
        child = node.children.get(heard)
        if child is None:
            child = node.children[heard] = self._played(node, heard)
        return child

    def close(self) -> None:
        while self._standing:
            self._standing.popitem()[1].dismiss()

    def _played(self, node: Node, heard: Heard) -> Node:
        puppet = self._standing.pop(node.number, None)
        if puppet is None:
            puppet = self._taken_back_to(node, heard)
        else:
            puppet.go_on(heard)
        child = Node(
            next(self._numbers),
            parent=node,
            heard=heard,
            request=puppet.pending,
            notes=tuple(puppet.notes),
            error=puppet.error,
        )
        if puppet.pending is not None:
            self._keep(child, puppet)
        return child

    def _taken_back_to(self, node: Node, heard: Heard) -> Puppet:
        past = _past(node)
        if not past:
            return Puppet(self.name, self._play, heard=[heard])
        puppet = Puppet(self.name, self._play, heard=past)
        if puppet.pending != node.request:
            raise NotDeterministic(f"{self.name}: {puppet.pending} in the place of {node.request}")
        puppet.go_on(heard)
        return puppet

    def _keep(self, node: Node, puppet: Puppet) -> None:
        self._standing[node.number] = puppet
        if len(self._standing) > MOST_PUPPETS:
            self._standing.popitem(last=False)[1].dismiss()


def _past(node: Node) -> list[Heard]:
    """What led to this node, the first first."""
    past: list[Heard] = []
    at: Node | None = node
    while at is not None and at.heard is not None:
        past.append(at.heard)
        at = at.parent
    return past[::-1]

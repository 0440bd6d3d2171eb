"""An actor that can be taken back to any of its requests, by running it again from its beginning.

What real code does next depends only on the replies that it got and on its clock. So an actor's state is the sequence
of these, and equal sequences need to be played once: the states of an actor form a tree, and a schedule is a walk
through the trees of its actors. Where a walk goes on from where a stepper stands, that stepper goes on; only where it
branches off is the past played to a new one.
"""

import itertools
from collections import OrderedDict

from tests.proof.stepper import BEGIN, Heard, Note, Script, Stepper

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
    """The same replies led to another request: the script draws chance or time from somewhere else."""


class Actor:
    """The tree of everything that an actor has been seen to do."""

    _numbers = itertools.count()

    def __init__(self, name: str, script: Script) -> None:
        self.name = name
        self._script = script
        self._paused: OrderedDict[int, Stepper] = OrderedDict()
        self.root = Node(next(self._numbers), request=BEGIN)

    def after(self, node: Node, heard: Heard) -> Node:
        """Where the actor stands when its request ended so."""
        child = node.children.get(heard)
        if child is None:
            child = node.children[heard] = self._played(node, heard)
        return child

    def close(self) -> None:
        while self._paused:
            self._paused.popitem()[1].dismiss()

    def _played(self, node: Node, heard: Heard) -> Node:
        stepper = self._paused.pop(node.number, None)
        if stepper is None:
            stepper = self._taken_back_to(node, heard)
        else:
            stepper.go_on(heard)
        child = Node(
            next(self._numbers),
            parent=node,
            heard=heard,
            request=stepper.pending,
            notes=tuple(stepper.notes),
            error=stepper.error,
        )
        if stepper.pending is not None:
            self._keep(child, stepper)
        return child

    def _taken_back_to(self, node: Node, heard: Heard) -> Stepper:
        past = _past(node)
        if not past:
            return Stepper(self.name, self._script, heard=[heard])
        stepper = Stepper(self.name, self._script, heard=past)
        if stepper.pending != node.request:
            raise NotDeterministic(f"{self.name}: {stepper.pending} in the place of {node.request}")
        stepper.go_on(heard)
        return stepper

    def _keep(self, node: Node, stepper: Stepper) -> None:
        self._paused[node.number] = stepper
        if len(self._paused) > MOST_PUPPETS:
            self._paused.popitem(last=False)[1].dismiss()


def _past(node: Node) -> list[Heard]:
    """What led to this node, the first first."""
    past: list[Heard] = []
    at: Node | None = node
    while at is not None and at.heard is not None:
        past.append(at.heard)
        at = at.parent
    return past[::-1]

"""Random numbers and time that can be replayed: the queue's code gets both from the actor."""

import itertools
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from random import Random as Dice
from types import ModuleType
from typing import Any

from blobforge.runtime import SYSTEM_RUNTIME, SystemRuntime
from blobforge.testing.clock import START

QUEUE = "blobforge.coordination.bucket"


class _Hand(threading.local):
    def __init__(self) -> None:
        self.dice = Dice("nobody")
        self.now: Callable[[], datetime] = lambda: START


_hand = _Hand()


@contextmanager
def in_hand(seed: str, now: Callable[[], datetime]) -> Iterator[None]:
    """For this thread: dice, and the clock of this actor's machine."""
    before = _hand.dice, _hand.now
    _hand.dice, _hand.now = Dice(seed), now
    try:
        yield
    finally:
        _hand.dice, _hand.now = before


@contextmanager
def loaded() -> Iterator[None]:
    """Every module of the queue draws from the actor's hand, whichever way it has chance and time."""
    modules = [module for place, module in list(sys.modules.items()) if place.startswith(QUEUE)]
    undo: list[tuple[dict[str, Any], str, Any]] = []
    for names in itertools.chain(map(vars, modules), *map(_defaults_in, modules)):
        for name, value in list(names.items()):
            if (replaced := _replaced(value)) is not None:
                undo.append((names, name, value))
                names[name] = replaced
    try:
        yield
    finally:
        for names, name, value in undo:
            names[name] = value


def _defaults_in(module: ModuleType) -> Iterator[dict[str, Any]]:
    """Of the keyword arguments of the module's classes."""
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            defaults = getattr(value.__init__, "__kwdefaults__", None)  # type: ignore[misc]
            if defaults:
                yield defaults


def _replaced(value: object) -> object | None:
    return next((ours for honest, ours in _REPLACED if value is honest), None)


class _Runtime(SystemRuntime):
    def monotonic(self) -> float:
        return _hand.now().timestamp()

    def nonce(self, size: int) -> str:
        return _hand.dice.randbytes(size).hex()


class _Random:
    """Stands for the module `random`."""

    @staticmethod
    def Random() -> Dice:  # noqa: N802 - the module's name for it
        return Dice(_hand.dice.random())

    @staticmethod
    def random() -> float:
        return _hand.dice.random()

    @staticmethod
    def randrange(start: int, stop: int | None = None) -> int:
        return _hand.dice.randrange(start, stop)


class _Time:
    """Stands for the module `time`."""

    @staticmethod
    def time() -> float:
        return _hand.now().timestamp()

    @staticmethod
    def time_ns() -> int:
        return int(_hand.now().timestamp() * 1_000_000) * 1_000

    @staticmethod
    def monotonic() -> float:
        return _hand.now().timestamp()


_REPLACED: tuple[tuple[object, object], ...] = (
    (SYSTEM_RUNTIME, _Runtime()),
    (random, _Random),
    (random.Random, _Random.Random),
    (random.random, _Random.random),
    (random.randrange, _Random.randrange),
    (time, _Time),
    (time.monotonic, _Time.monotonic),
    (time.time_ns, _Time.time_ns),
)

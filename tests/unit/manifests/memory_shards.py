"""Shards in memory, where a test may step in between two steps of a manifest."""

from collections.abc import Callable, Sequence
from datetime import datetime

from blobforge.ports.clock import Clock
from blobforge.ports.shards import Shard, ShardFacts

StepIn = Callable[[str, str], None]
"""Called with what is about to happen ("get", "put", "delete", "facts") and to which shard."""


class MemoryShards:
    def __init__(self, clock: Clock) -> None:
        self.shards: dict[str, Shard] = {}
        self.step_in: StepIn = lambda _what, _name: None
        self.puts: list[tuple[str, int]] = []
        self._clock = clock
        self._modified: dict[str, datetime] = {}

    @property
    def written(self) -> int:
        return sum(size for _, size in self.puts)

    def writes_of(self, name: str) -> int:
        return sum(1 for written, _ in self.puts if written == name)

    def address(self, name: str) -> str:
        return f"memory://{name}"

    def get(self, name: str) -> Shard | None:
        self.step_in("get", name)
        return self.shards.get(name)

    def put(self, name: str, body: bytes, *, seen: str | None) -> bool:
        self.step_in("put", name)
        there = self.shards.get(name)
        if (None if there is None else there.version) != seen:
            return False
        self.puts.append((name, len(body)))
        self.shards[name] = Shard(body, str(len(self.puts)))
        self._modified[name] = self._clock.now()
        return True

    def facts(self) -> dict[str, ShardFacts]:
        self.step_in("facts", "")
        return {name: ShardFacts(len(shard.body), self._modified[name]) for name, shard in self.shards.items()}

    def delete(self, names: Sequence[str]) -> None:
        for name in names:
            self.step_in("delete", name)
            self.shards.pop(name, None)

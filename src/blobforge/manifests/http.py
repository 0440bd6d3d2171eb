"""The manifest behind a server, which keeps it in its store."""

from collections.abc import Sequence

from blobforge.client.connection import Connection
from blobforge.ports.shards import Shard, ShardFacts
from blobforge.wire import paths
from blobforge.wire.stored import ShardAnswer, ShardFactsRows, ShardNames, ShardPut, ShardPutAnswer, ShardRequest

SECONDS = 120.0
"""A manifest of a large library is many megabytes."""


class HttpShards:
    """Raises Forbidden besides: the manifest is for those who see all projects."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def address(self, name: str) -> str:
        return f"{self._connection.url}/{name}"

    def get(self, name: str) -> Shard | None:
        found = self._connection.post(paths.SHARD, ShardRequest(name=name), ShardAnswer, seconds=SECONDS)
        return found.as_shard()

    def put(self, name: str, body: bytes, *, seen: str | None) -> bool:
        request = ShardPut(name=name, body=body, seen=seen)
        return self._connection.post(paths.SHARD_PUT, request, ShardPutAnswer, seconds=SECONDS).done

    def facts(self) -> dict[str, ShardFacts]:
        told = self._connection.get(paths.SHARD_FACTS, ShardFactsRows, seconds=SECONDS)
        return {row.name: ShardFacts(row.size, row.modified) for row in told.shards}

    def delete(self, names: Sequence[str]) -> None:
        self._connection.tell(paths.SHARD_DELETE, ShardNames(names=list(names)))

"""The manifest as objects of a bucket, replaced by If-Match."""

from collections.abc import Sequence

from blobforge.objectstore.client import ObjectStore, Only
from blobforge.ports.shards import MANIFEST, PENDING, Shard, ShardFacts


class BucketShards:
    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def address(self, name: str) -> str:
        return f"{self._objects.place}{name}"

    def get(self, name: str) -> Shard | None:
        found = self._objects.get(name)
        return None if found is None else Shard(found.body, found.etag)

    def put(self, name: str, body: bytes, *, seen: str | None) -> bool:
        only = Only(if_new=True) if seen is None else Only(if_etag=seen)
        return self._objects.put(name, body, only=only) is not None

    def facts(self) -> dict[str, ShardFacts]:
        # One listing for both: the folder has the name of the file, without its extension.
        listed = self._objects.all(PENDING.rstrip("/"))
        ours = [facts for facts in listed if facts.name == MANIFEST or facts.name.startswith(PENDING)]
        return {facts.name: ShardFacts(facts.size, facts.modified) for facts in ours}

    def delete(self, names: Sequence[str]) -> None:
        self._objects.delete_many(names)

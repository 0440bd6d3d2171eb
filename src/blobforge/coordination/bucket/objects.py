"""The operations of an object store that the queue uses: implemented by blobforge.objectstore and by the simulation."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from blobforge.objectstore.client import ALWAYS, ObjectFacts, Only, StoredObject


class Objects(Protocol):
    """Conditional operations return None or False where the condition does not hold. What a cut write has left is not
    there, but for who asks for `remains`."""

    def now(self) -> datetime: ...

    def get(self, name: str) -> StoredObject | None: ...

    def head(self, name: str) -> ObjectFacts | None: ...

    def remains(self, name: str) -> ObjectFacts | None: ...

    def put(
        self, name: str, body: bytes, *, only: Only = ALWAYS, metadata: Mapping[str, str] | None = None
    ) -> str | None: ...

    def put_file(
        self, name: str, path: Path, *, only: Only = ALWAYS, metadata: Mapping[str, str] | None = None
    ) -> str | None: ...

    def fetch(self, name: str, target: BinaryIO) -> Mapping[str, str]: ...

    def delete(self, name: str, *, only: Only = ALWAYS) -> bool: ...

    def delete_many(self, names: Sequence[str]) -> None: ...

    def page(self, prefix: str, *, after: str | None = None, limit: int = 1_000) -> list[ObjectFacts]: ...

    def all(self, prefix: str, *, remains: list[str] | None = None) -> Iterator[ObjectFacts]: ...

    def close(self) -> None: ...

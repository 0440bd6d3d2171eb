"""What an entry point of the group `blobforge.stores` names for its URL scheme."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from blobforge.ports.blob_store import BlobStore, StoreOptions
from blobforge.ports.clock import Clock
from blobforge.ports.multipart import Multipart
from blobforge.ports.shards import Shards
from blobforge.ports.transfers import Transfers


class OpenedShards(NamedTuple):
    """`clock` is that of the place itself, where the clocks of machines need not agree."""

    shards: Shards
    clock: Clock | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreBackend:
    """Cheap to import: what it needs is loaded when it opens something."""

    open: Callable[[str, StoreOptions], BlobStore]
    """Raises InvalidSettings, StoreUnavailable."""
    check: Callable[[str], object] = lambda _: None
    """Whether such an address can be used here; opens nothing. Raises InvalidSettings."""
    shards: Callable[[str, StoreOptions], OpenedShards] | None = None
    """Its small files. Without them the store has no manifest, and cannot tell which queues use it."""
    transfers: Callable[[str, StoreOptions], Transfers] | None = None
    """How clients of a server send bytes to it and fetch them. Without it, no server can have such a store."""
    multipart: Callable[[str, StoreOptions], Multipart] | None = None
    """How it takes large files in parts. Without it, no server can have such a store."""
    files: Callable[[str], Sequence[Path]] = lambda _: ()
    """Those of this machine that it is kept in: children must not see them, and what does not open there is not waited
    for. Raises InvalidSettings."""
    uploads: int = 1
    """How many documents are brought in at a time. A disk is no faster for many."""

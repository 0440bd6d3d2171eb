"""Documents of the manifest as commands show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from blobforge.cli import output
from blobforge.domain.errors import NotFound, StoreUnavailable
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.manifest import ManifestEntry
from blobforge.domain.manifest_search import Found

if TYPE_CHECKING:
    # Settings bring pydantic: `blobforge --help` does without.
    from blobforge.config.settings import Settings
    from blobforge.domain.manifest import ManifestContents
    from blobforge.wiring.queues import OpenedCoordinator

States = Mapping[SourceHash, State]


class KnownDocuments:
    """The manifest in the store, and what the queue knows of its documents; without the queue where it does not
    answer, which is told when it matters."""

    def __init__(self, settings: Settings, queue: OpenedCoordinator | None, why_not: str) -> None:
        self._settings = settings
        self._queue = queue
        self._why_not = why_not

    def contents(self) -> ManifestContents:
        from blobforge import wiring

        return wiring.open_manifest(self._settings).contents()

    def states_of(self, found: Iterable[Found]) -> States:
        """How the job of each is doing, in one question to the queue; where that does not answer, a warning says so."""
        from blobforge import wiring

        keys = [JobKey(self._settings.project, wiring.PDF, source_hash) for source_hash, _ in found]
        if not keys:
            return {}
        if self._queue is None:
            return self._unknown(self._why_not)
        try:
            states = self._queue.coordinator.states(keys)
        except StoreUnavailable as error:
            return self._unknown(str(error))
        return {key.source_hash: state for key, state in states.items()}

    def _unknown(self, why: str) -> States:
        output.warn(f"how the jobs are doing is not known: {why}")
        return {}


@contextmanager
def opened_library(settings: Settings) -> Iterator[KnownDocuments]:
    """Raises StoreMismatch: the manifest of a store that is not this queue's would be told as its library."""
    from blobforge import wiring

    try:
        opened = wiring.open_known_coordinator(settings)
    except (NotFound, StoreUnavailable) as error:
        yield KnownDocuments(settings, None, str(error))
        return
    with closing(opened):
        try:
            wiring.check_pair(settings, opened)
        except StoreUnavailable as error:
            yield KnownDocuments(settings, None, str(error))
        else:
            yield KnownDocuments(settings, opened, "")


def state_text(states: States, source_hash: SourceHash) -> str:
    state = states.get(source_hash)
    return "-" if state is None else state.value


def document_json(source_hash: SourceHash, entry: ManifestEntry, states: States) -> JsonObject:
    """The stable form of a document of the manifest in `--json`."""
    state = states.get(source_hash)
    return {
        "source_hash": source_hash,
        "paths": entry.paths,
        "size": entry.size,
        "tags": entry.tags,
        "ingested_at": entry.ingested_at.isoformat(),
        "source": entry.source,
        "state": None if state is None else state.value,
    }

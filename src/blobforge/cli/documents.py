"""Documents of the manifest as commands show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

States = Mapping[SourceHash, State]


def states_of(settings: Settings, found: Iterable[Found]) -> States:
    """How the job of each is doing, in one question to the queue; where that does not answer, a warning says so."""
    from blobforge import wiring

    keys = [JobKey(settings.project, wiring.PDF, source_hash) for source_hash, _ in found]
    if not keys:
        return {}
    try:
        opened = wiring.open_known_coordinator(settings)
        try:
            states = opened.coordinator.states(keys)
        finally:
            opened.close()
    except (NotFound, StoreUnavailable) as error:
        output.warn(f"how the jobs are doing is not known: {error}")
        return {}
    return {key.source_hash: state for key, state in states.items()}


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

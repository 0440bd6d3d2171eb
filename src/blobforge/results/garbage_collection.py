"""Garbage collection of a store: finds blobs that nobody needs any more, and deletes them."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from blobforge.domain.errors import PlaceNotUnderstood, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobKey, BlobStat, BlobStore, ClearingLapsed, Leftover
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter
from blobforge.ports.manifest import Manifest
from blobforge.results.garbage import Garbage, Kind, Needs, documents_with_results, needs_of, verdict

PLACES = ("outputs/", "sources/", "registry/logs/", "incoming/")
AT_ONCE = 1000
MOST_TRIES = 3
SHOWN = 3
"""So many names of what was not understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GarbageSurvey:
    """`young` is what would be garbage but for its age, which is that of what was stored at `before` or later."""

    garbage: tuple[Garbage, ...]
    leftovers: tuple[Leftover, ...]
    young: int
    needs: Needs
    blobs: int
    before: datetime
    unknown: tuple[SourceHash, ...]
    """Documents that have a result, young or old, of which the queue does not know: it has no job for them, or names
    another result, which is not there. A job that has a result is never removed, and gives it up for another one that
    is there. So this queue has lost what it knew."""

    @property
    def everything(self) -> list[Garbage]:
        return [*self.garbage, *map(_temporary, self.leftovers)]


class GarbageCollector:
    def __init__(self, coordinator: Coordinator, blobs: BlobStore, manifest: Manifest | None = None) -> None:
        """`manifest` where it lies beside the queue and others write there too: what it lists is kept,
        also where its job was cleared."""
        self._coordinator = coordinator
        self._blobs = blobs
        self._manifest = manifest

    def survey(self, *, before: datetime) -> GarbageSurvey:
        """What is garbage and was stored before that time. Raises StoreUnavailable, PlaceNotUnderstood.

        The blobs are listed first: what is stored later is not among them, and what was stored before is known to its
        job, which is asked afterwards, or the job is still in motion.
        """
        listed = [blob for place in PLACES for blob in self._blobs.list(place)]
        leftovers = list(self._blobs.leftovers())
        needs = self._needs()
        judged = [(blob, kind) for blob in listed if (kind := verdict(blob.key, needs)) is not None]
        old = [Garbage(kind, *blob) for blob, kind in judged if blob.modified < before]
        old_leftovers = [leftover for leftover in leftovers if leftover.modified < before]
        return GarbageSurvey(
            garbage=tuple(old),
            leftovers=tuple(old_leftovers),
            young=len(judged) - len(old) + len(leftovers) - len(old_leftovers),
            needs=needs,
            blobs=len(listed),
            before=before,
            unknown=self._unknown({blob.key for blob in listed}, needs),
        )

    def _unknown(self, listed: AbstractSet[BlobKey], needs: Needs) -> tuple[SourceHash, ...]:
        have_results = documents_with_results(listed)
        lacking = [BlobKey(key) for key in needs.published - listed if documents_with_results([key]) <= have_results]
        # A job may have published another one since the blobs were listed.
        there = self._blobs.stat_many(lacking) if lacking else {}
        lost = documents_with_results(key for key in lacking if key not in there)
        return tuple(sorted((have_results - needs.documents) | lost))

    def clear(self, survey: GarbageSurvey) -> list[Garbage]:
        """Deletes what is still garbage. Raises StoreUnavailable, PlaceNotUnderstood.

        The jobs are asked again, and again after each portion: a person may have thought it over for long, and to
        delete much takes long. Whatever a job comes to need since then was stored anew or renewed before the job says
        so, or is kept afterwards: a source that a document comes in with, a result that a run made or found. So the
        store deletes each as it was seen, and tells those who store meanwhile.
        """
        cleared: list[Garbage] = []
        for start in range(0, len(survey.garbage), AT_ONCE):
            portion = survey.garbage[start : start + AT_ONCE]
            cleared += self._clear_portion(portion)
        for leftover in survey.leftovers:
            self._blobs.clear(leftover)
            cleared.append(_temporary(leftover))
        return cleared

    def _clear_portion(self, portion: Sequence[Garbage]) -> Iterator[Garbage]:
        """Where it lapses on its way, such as on a machine that is suspended, it goes on with the jobs asked anew."""
        rest, tries = list(portion), 0
        while rest:
            with suppress(ClearingLapsed), self._blobs.clearing([BlobKey(item.key) for item in rest]) as delete:
                needs = self._needs()
                while rest:
                    if verdict(rest[0].key, needs) is not None and delete(_seen(rest[0])):
                        yield rest[0]
                    del rest[0]
                    tries = 0
            tries += 1
            if rest and tries == MOST_TRIES:
                raise StoreUnavailable(_stood_still(rest))

    def _needs(self) -> Needs:
        needs = needs_of(every_job(self._coordinator, JobFilter()))
        # Behind the jobs: what is added while they are read is named by now.
        references = self._coordinator.references()
        if references.not_understood:
            raise PlaceNotUnderstood(_strange(references.not_understood))
        listed = self._manifest.entries().keys() if self._manifest is not None else frozenset[SourceHash]()
        return needs.besides(references.documents | listed)


def _seen(item: Garbage) -> BlobStat:
    return BlobStat(BlobKey(item.key), item.size, item.modified, item.version)


def _stood_still(rest: Sequence[Garbage]) -> str:
    return (
        f"{len(rest):,} of the blobs to be deleted stay: this machine was suspended again and again, or to read "
        "the jobs took longer than others wait for deletions; run 'blobforge gc' again"
    )


def _temporary(leftover: Leftover) -> Garbage:
    return Garbage(Kind.TEMPORARY, leftover.name, leftover.size, leftover.modified)


def _strange(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return (
        f"nothing is deleted: among the objects of the queue there is something that is not BlobForge's ({shown}), and "
        "whether it needs any of the documents is unknown; move it out of the prefix of the queue, and try again"
    )


def every_job(coordinator: Coordinator, wanted: JobFilter) -> Iterator[Job]:
    """Page by page, newest first."""
    page = coordinator.page(wanted, limit=AT_ONCE)
    while page:
        yield from page
        page = coordinator.page(wanted, after=page[-1].id, limit=AT_ONCE) if len(page) == AT_ONCE else []

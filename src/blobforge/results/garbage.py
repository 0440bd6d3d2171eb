"""Which blobs of a store are garbage. Pure: judged by the keys of blobs and by the jobs."""

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from blobforge.domain.ids import SourceHash
from blobforge.domain.job import FINAL_STATES, Job, State
from blobforge.results.published_by_job import published_by

_HASH = "([0-9a-f]{64})"
_RESULT = re.compile(rf"outputs/[0-9a-f]{{2}}/{_HASH}-[0-9a-f]{{16}}\.zip")
_SOURCE = re.compile(rf"sources/{_HASH}\.[a-z0-9]+")
_UPLOAD = re.compile(rf"incoming/(?:[0-9]+|{_HASH})-[0-9a-f]{{16}}|outputs/\.attempts/[^/]+\.zip")
_LOG = re.compile(rf"registry/logs/{_HASH}/[^/]+")


class Kind(StrEnum):
    RESULT = "results"
    """Of a recipe that no job publishes."""
    SOURCE = "sources"
    """Of no job at all."""
    LOG = "logs"
    """Errors of jobs that are completed by now."""
    TEMPORARY = "temporary"
    """What a cut off upload or copy has left; with a server, also what was uploaded to it and never got a place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What is needed, in all projects. `in_motion` are documents whose job may yet take any result of theirs, or names
    none: also those that the queue names and whose job nobody could read."""

    jobs: int
    published: frozenset[str]
    documents: frozenset[SourceHash]
    in_motion: frozenset[SourceHash]
    uncompleted: frozenset[SourceHash]

    def besides(self, named: AbstractSet[SourceHash]) -> "Needs":
        """With the documents that something names: of those without a job that could be read, all is needed."""
        unread = named - self.documents
        return replace(
            self,
            documents=self.documents | unread,
            in_motion=self.in_motion | unread,
            uncompleted=self.uncompleted | unread,
        )


class Garbage(NamedTuple):
    """`modified` is when it was stored, and `version` which one it was, as the survey saw it."""

    kind: Kind
    key: str
    size: int
    modified: datetime
    version: str = ""


def needs_of(jobs: Iterable[Job]) -> Needs:
    count = 0
    published: set[str] = set()
    documents: set[SourceHash] = set()
    in_motion: set[SourceHash] = set()
    uncompleted: set[SourceHash] = set()
    for job in jobs:
        count += 1
        documents.add(job.source_hash)
        # A job that runs again keeps what it published until the new result is there.
        if (result := published_by(job)) is not None:
            published.add(result.key)
        # What a job may yet take, and the result of one that names none: perhaps it was cancelled or dead in the backup
        # from which the queue was restored, and completed after that.
        if job.state not in FINAL_STATES or result is None:
            in_motion.add(job.source_hash)
        if job.state is not State.COMPLETED:
            uncompleted.add(job.source_hash)
    return Needs(
        jobs=count,
        published=frozenset(published),
        documents=frozenset(documents),
        in_motion=frozenset(in_motion),
        uncompleted=frozenset(uncompleted),
    )


def documents_with_results(keys: Iterable[str]) -> frozenset[SourceHash]:
    return frozenset(SourceHash(match[1]) for match in map(_RESULT.fullmatch, keys) if match)


def verdict(key: str, needs: Needs) -> Kind | None:
    """What kind of garbage a blob is; None for what is needed, and for whatever has a name that is not ours."""
    if found := _RESULT.fullmatch(key):
        is_needed = key in needs.published or found[1] in needs.in_motion
        return None if is_needed else Kind.RESULT
    if found := _SOURCE.fullmatch(key):
        return None if found[1] in needs.documents else Kind.SOURCE
    if _UPLOAD.fullmatch(key):
        return Kind.TEMPORARY
    if found := _LOG.fullmatch(key):
        is_over = found[1] in needs.documents and found[1] not in needs.uncompleted
        return Kind.LOG if is_over else None
    return None

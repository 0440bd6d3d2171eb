"""Blobs of a library whose queue is in the same bucket: sources and results where document 000 has them.

    store/raw/<hash>.pdf               a source
    store/out/<hash>.zip               the published result, which the queue itself writes: it completes the job
    lanes/<project>/<type>/store/out/  the same for another project or type
    store/recipes/<hash>-<recipe>.zip  results of other recipes that were published before

A result of a worker is therefore not stored at once: it waits in the staging until its job is completed.
"""

import shutil
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryDirectory
from typing import BinaryIO, cast

from blobforge.blobs.bucket import IN_MEMORY, BucketBlobStore, unwritable
from blobforge.blobs.keys import parts_of
from blobforge.blobs.result_search import RESULTS, ResultName, ResultSearch, result_named
from blobforge.domain.errors import NotFound
from blobforge.domain.ids import RecipeId, SourceHash
from blobforge.domain.job import Job, title
from blobforge.domain.recipe import UNRECORDED
from blobforge.objectstore.answers import Absent
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.deletions import version_of
from blobforge.objectstore.key_layout import MAIN_LANE, RAW, RECIPE, RECIPES, out_name
from blobforge.ports.blob_store import NO_LABELS, BlobKey, BlobStat, DeleteAsSeen, Leftover, result_key
from blobforge.ports.result_staging import archive_key
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

_SOURCES = "sources/"


class BucketStaging:
    """Results that are made and not yet published. Threads may share it."""

    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects
        self.search = ResultSearch(objects)
        self._lock = threading.Lock()
        self._parent: Path | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._staged: dict[str, Path] = {}

    def work_in(self, folder: Path) -> None:
        """Sets the folder of staged results: on the disk where they are made, and where the left-overs of crashes are
        removed."""
        self._parent = folder

    def stage(self, key: BlobKey, path: Path) -> None:
        """Moves a file into the staging. Raises DiskFull, OutputUnwritable."""
        try:
            staged = self._folder_path() / key.replace("/", "-")
            shutil.move(path, staged)
        except OSError as error:
            raise unwritable(error, path) from error
        with self._lock:
            self._staged[key] = staged

    def staged(self, key: str) -> Path | None:
        with self._lock:
            return self._staged.get(key)

    def drop(self, key: str) -> None:
        with self._lock:
            path = self._staged.pop(key, None)
        if path is not None:
            path.unlink(missing_ok=True)

    @contextmanager
    def opened(self, job: Job) -> Iterator[Path | None]:
        """The staged result, or else the stored result of an earlier run with the same recipe. What is published
        takes the place of what was: so a result that is gone is never nothing."""
        key = archive_key(job)
        path = self.staged(key) if key is not None else None
        if key is None or path is not None:
            yield path
            if key is not None:
                self.drop(key)
            return
        with self._new_folder() as folder:
            stored = Path(folder, "result.zip")
            if not self._fetched(key, stored):
                raise NotFound(f"the result of {title(job)} was deleted before it was published")
            yield stored

    def keep_replaced(self, job: Job, *, published: str | None, by: str | None) -> None:
        """In the bucket, under a name with the recipe."""
        if published is None or published == by:
            return
        name = out_name(job.project, job.type, job.source_hash)
        with self._new_folder() as folder:
            path = Path(folder, "result.zip")
            with suppress(Absent), path.open("wb") as file:
                metadata = self.objects.fetch(name, file)
                file.flush()
                # It may have been replaced meanwhile: then the process that did so has kept it.
                if metadata.get(RECIPE, UNRECORDED) == published:
                    kept = ResultName(job.source_hash, published).kept
                    self.objects.put_file(kept, path, metadata={RECIPE: published})

    def close(self) -> None:
        with self._lock:
            folder, self._folder = self._folder, None
            self._staged.clear()
        if folder is not None:
            folder.cleanup()

    def _folder_path(self) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = self._new_folder()
            return Path(self._folder.name)

    def _new_folder(self) -> "TemporaryDirectory[str]":
        if self._parent is not None:
            self._parent.mkdir(parents=True, exist_ok=True)
        return TemporaryDirectory(prefix="blobforge-staging-", dir=self._parent)

    def _fetched(self, key: str, target: Path) -> bool:
        result = result_named(key)
        if result is None:
            return False
        with target.open("wb") as file:
            return self.search.fetch(result, file)


class LibraryBlobStore:
    """A BlobStore whose results are published by the queue."""

    def __init__(self, objects: ObjectStore, staging: BucketStaging, *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        self._objects = objects
        self._plain = BucketBlobStore(objects, runtime=runtime)
        self._staging = staging

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        if result_named(key) is None:
            stat = self._plain.put(_named(key), path, labels=labels, source_hash=source_hash)
            return stat._replace(key=key)
        copy = path.with_name(f"{path.name}.copy")
        shutil.copyfile(path, copy)
        return self.adopt(key, copy)

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        if result_named(key) is None:
            return self._plain.adopt(_named(key), path)._replace(key=key)
        size = path.stat().st_size
        self._staging.stage(key, path)
        return BlobStat(key, size, self._objects.now())

    def open(self, key: BlobKey) -> BinaryIO:
        result = result_named(key)
        if result is None:
            return self._plain.open(_named(key))
        if (staged := self._staging.staged(key)) is not None:
            return staged.open("rb")
        spool = cast("BinaryIO", SpooledTemporaryFile(IN_MEMORY))  # noqa: SIM115 - the caller closes it
        if not self._staging.search.fetch(result, spool):
            spool.close()
            raise NotFound(f"there is no blob {key}")
        spool.seek(0)
        return spool

    def local_path(self, key: BlobKey) -> Path | None:
        parts_of(key)
        return self._staging.staged(key)

    def fetch(self, key: BlobKey, target: Path) -> None:
        result = result_named(key)
        if result is None:
            self._plain.fetch(_named(key), target)
            return
        with self.open(key) as stream, target.open("wb") as file:
            shutil.copyfileobj(stream, file)

    def address(self, key: BlobKey) -> str:
        """Of a result, which may lie in any lane, this costs requests."""
        result = result_named(key)
        if result is None:
            return self._plain.address(_named(key))
        found = self._staging.search.find(result)
        name = found.name if found is not None else out_name(*MAIN_LANE, result.source_hash)
        return self._plain.address(BlobKey(name))

    def stat(self, key: BlobKey) -> BlobStat | None:
        result = result_named(key)
        if result is None:
            found = self._plain.stat(_named(key))
            return None if found is None else found._replace(key=key)
        if (staged := self._staging.staged(key)) is not None:
            return BlobStat(key, staged.stat().st_size, self._objects.now())
        facts = self._staging.search.find(result)
        return None if facts is None else BlobStat(key, facts.size, facts.modified, version_of(facts))

    def stat_many(self, keys: Collection[BlobKey]) -> dict[BlobKey, BlobStat]:
        results = {key for key in keys if result_named(key) is not None}
        names = {_named(key): key for key in keys if key not in results}
        found = {names[name]: stat._replace(key=names[name]) for name, stat in self._plain.stat_many(names).items()}
        return found | {key: stat for key in results if (stat := self.stat(key)) is not None}

    def renew(self, key: BlobKey) -> BlobStat | None:
        """A published result stays as it is: nobody deletes it."""
        result = result_named(key)
        if result is None:
            renewed = self._plain.renew(_named(key))
            return None if renewed is None else renewed._replace(key=key)
        found = None if self._staging.staged(key) is not None else self._staging.search.find(result)
        if found is not None and found.name == result.kept and self._plain.renew(BlobKey(result.kept)) is None:
            return None
        return self.stat(key)

    def keep(self, keys: Collection[BlobKey]) -> set[BlobKey]:
        """Results need no word: the queue publishes them."""
        names = {_named(key): key for key in keys if result_named(key) is None}
        return {names[name] for name in self._plain.keep(names)}

    @contextmanager
    def clearing(self, keys: Collection[BlobKey]) -> Iterator[DeleteAsSeen]:
        with self._plain.clearing([_listed_as(key) for key in keys]) as delete:
            yield lambda seen: delete(seen._replace(key=_listed_as(seen.key)))

    def delete(self, key: BlobKey) -> None:
        """A published result stays: it is what completes the job, and only the queue replaces it."""
        result = result_named(key)
        if result is None:
            self._plain.delete(_named(key))
            return
        self._staging.drop(key)
        self._objects.delete(result.kept)

    def list(self, prefix: str) -> Iterator[BlobStat]:
        """Of results only the replaced ones: the queue lists the published ones."""
        for found in self._plain.list(_named(BlobKey(prefix))):
            is_source = found.key.startswith(RAW)
            yield found._replace(key=BlobKey(_SOURCES + found.key.removeprefix(RAW))) if is_source else found
        for kept in self._plain.list(RECIPES) if prefix.startswith(RESULTS) else ():
            key = _key_of(kept.key)
            if key is not None and key.startswith(prefix):
                yield kept._replace(key=key)

    def leftovers(self) -> Iterator[Leftover]:
        return self._plain.leftovers()

    def clear(self, leftover: Leftover) -> None:
        self._plain.clear(leftover)


class UnpublishedBlobStore(LibraryBlobStore):
    """For results that no queue will publish: they are stored among those of other recipes from the start."""

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        result = result_named(key)
        if result is None:
            return super().adopt(key, path)
        size = path.stat().st_size
        self._objects.put_file(result.kept, path, metadata={RECIPE: result.recipe})
        path.unlink(missing_ok=True)
        return BlobStat(key, size, self._objects.now())

    def renew(self, key: BlobKey) -> BlobStat | None:
        result = result_named(key)
        if result is None:
            return super().renew(key)
        renewed = self._plain.renew(BlobKey(result.kept))
        return None if renewed is None else renewed._replace(key=key)

    def open(self, key: BlobKey) -> BinaryIO:
        result = result_named(key)
        return super().open(key) if result is None else self._plain.open(BlobKey(result.kept))

    def address(self, key: BlobKey) -> str:
        result = result_named(key)
        return super().address(key) if result is None else self._plain.address(BlobKey(result.kept))

    def stat(self, key: BlobKey) -> BlobStat | None:
        """Never the published one, even where that has no recipe."""
        result = result_named(key)
        if result is None:
            return super().stat(key)
        found = self._plain.stat(BlobKey(result.kept))
        return None if found is None else found._replace(key=key)


def _named(key: BlobKey) -> BlobKey:
    return BlobKey(RAW + key.removeprefix(_SOURCES)) if key.startswith(_SOURCES) else key


def _listed_as(key: BlobKey) -> BlobKey:
    """The name of what `list` tells by this key."""
    result = result_named(key)
    return _named(key) if result is None else BlobKey(result.kept)


def _key_of(name: str) -> BlobKey | None:
    source_hash, dash, recipe = name.removeprefix(RECIPES).removesuffix(".zip").partition("-")
    return result_key(SourceHash(source_hash), RecipeId(recipe)) if dash else None

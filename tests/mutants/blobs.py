"""Bugs in stored results and outputs that only an unlucky moment shows, and in what clears a store."""

from tests.mutants import suites
from tests.mutants.mutant import Mutant

OUTPUTS = [
    Mutant(
        name="a published result keeps the age of its upload",
        file="blobs/directory.py",
        within="DirectoryBlobStore.name",
        old="os.utime(link)",
        new="None",
        tests=suites.COPIES,
    ),
    Mutant(
        name="a blob has its name before its bytes are on the disk",
        file="blobs/directory.py",
        within="DirectoryBlobStore._place",
        old="""
            if self._durable and not is_synced:
                durable_files.sync_file(incoming)
            try:
                incoming.replace(target)
            except FileNotFoundError:
                ...
            if self._durable:
                durable_files.sync_folder(...)
        """,
        new="""
            try:
                incoming.replace(target)
            except FileNotFoundError:
                ...
            if self._durable:
                durable_files.sync_file(target)
                durable_files.sync_folder(...)
        """,
        tests=suites.BLOBS_POWER_CUT,
    ),
    Mutant(
        name="outputs are recorded before they are on the disk",
        file="conversion/durable_ledger.py",
        within="DurableLedger.write",
        old="""
            try:
                durable_files.sync_all(files)
            except OSError as error:
                ...
            self._ledger.write(outputs)
        """,
        new="""
            self._ledger.write(outputs)
            try:
                durable_files.sync_all(files)
            except OSError as error:
                ...
        """,
        tests=suites.POWER_CUT,
    ),
    Mutant(
        name="an output of another recipe counts as current",
        file="ports/output_ledger.py",
        within="Output._account",
        old="(self.source_hash, self.recipe_id, ...)",
        new="(self.source_hash, ...)",
        tests=suites.HYDRATION,
    ),
    Mutant(
        name="an output that was deleted counts as current by the ledger alone",
        file="results/hydration.py",
        within="_is_current",
        old="before.is_of(output) and is_present(before)",
        new="before.is_of(output)",
        tests=suites.HYDRATION,
    ),
]
CLEARING = [
    Mutant(
        name="gc deletes what was stored anew in a bucket since it looked",
        file="objectstore/deletions.py",
        within="Deletion.delete",
        old="there is None or version_of(there) != seen.version",
        new="there is None",
        tests=suites.DELETIONS,
    ),
    Mutant(
        name="gc takes its notice back although a deletion may be on its way",
        file="objectstore/deletions.py",
        within="Deletion.__exit__",
        old="""
            if self._on_their_way:
                ...
            else:
                self._objects.delete(self._notice)
        """,
        new="self._objects.delete(self._notice)",
        tests=suites.DELETIONS,
    ),
    Mutant(
        name="gc does not look again at what it has set aside",
        file="blobs/set_aside.py",
        within="delete_as_seen",
        old="version_of(looked_at(aside)) == version",
        new="True",
        tests=suites.SET_ASIDE,
    ),
    Mutant(
        name="a file that goes back replaces what was stored since",
        file="blobs/set_aside.py",
        within="_put_back",
        old="path.exists()",
        new="False",
        tests=suites.SET_ASIDE,
    ),
    Mutant(
        name="who stores in a bucket looks for no notice",
        file="blobs/bucket.py",
        within="BucketBlobStore.put",
        old="self._taken_away([name])",
        new="False",
        tests=suites.BESIDE_STORING,
    ),
    Mutant(
        name="who renews a blob of a bucket looks for no notice",
        file="blobs/bucket.py",
        within="BucketBlobStore.renew",
        old="wait_for_deletions(self._objects, [name], runtime=self._runtime)",
        new="None",
        tests=suites.BESIDE_STORING,
    ),
    Mutant(
        name="what a server copies in a bucket may be deleted by who did not know",
        file="blobs/bucket_transfers.py",
        within="BucketTransfers.copy",
        old="taken_away(self._objects, [name], runtime=self._runtime)",
        new="False",
        tests=suites.BESIDE_STORING,
    ),
    Mutant(
        name="ingest does not ask again for what it counted on",
        file="ingest/arrivals.py",
        within="Arrivals._kept",
        old="self._blobs.keep(...)",
        new="()",
        tests=suites.BESIDE_STORING,
    ),
    Mutant(
        name="a result that a run found is not renewed",
        file="worker/results.py",
        within="ResultStore.completed_by",
        old="self._blobs.renew(found.key)",
        new="self._blobs.stat(found.key)",
        tests=suites.BESIDE_REPROCESS,
    ),
    Mutant(
        name="gc asks for the jobs once, and not before each portion",
        file="results/garbage_collection.py",
        within="GarbageCollector._clear_portion",
        old="needs = self._needs()",
        new="needs = self._asked = getattr(self, '_asked', None) or self._needs()",
        tests=suites.CLEARING,
    ),
    Mutant(
        name="gc asks for the jobs before it gives notice",
        file="results/garbage_collection.py",
        within="GarbageCollector._clear_portion",
        old="""
            with suppress(ClearingLapsed), self._blobs.clearing(...) as delete:
                needs = self._needs()
                ...
        """,
        new="""
            needs = self._needs()
            with suppress(ClearingLapsed), self._blobs.clearing(...) as delete:
                ...
        """,
        tests=suites.BESIDE_STORING,
    ),
    Mutant(
        name="a gc that was asleep goes on with the jobs as they were",
        file="results/garbage_collection.py",
        within="GarbageCollector._clear_portion",
        old="""
            while rest:
                with suppress(ClearingLapsed), self._blobs.clearing(...) as delete:
                    needs = self._needs()
                    ...
                ...
        """,
        new="""
            needs = self._needs()
            while rest:
                with suppress(ClearingLapsed), self._blobs.clearing(...) as delete:
                    ...
                ...
        """,
        tests=suites.ASLEEP,
    ),
    Mutant(
        name="gc sends a DELETE again however long ago it looked",
        file="objectstore/client.py",
        within="ObjectStore._send.request",
        old="""
            if before_each is not None:
                before_each()
            self.requests[operation] += 1
        """,
        new="""
            if before_each is not None and self.requests[operation] == 0:
                before_each()
            self.requests[operation] += 1
        """,
        tests=suites.DELETIONS,
    ),
    Mutant(
        name="gc judges the age of its notice by a clock that stands still on a suspended machine",
        file="objectstore/deletions.py",
        within="Deletion._age",
        old="max(now.monotonic - then.monotonic, *(passed.total_seconds() for passed in times))",
        new="now.monotonic - then.monotonic",
        tests=suites.DELETIONS,
    ),
    Mutant(
        name="gc judges the age of its notice by a clock that can be set",
        file="objectstore/deletions.py",
        within="Deletion._age",
        old="max(now.monotonic - then.monotonic, *(passed.total_seconds() for passed in times))",
        new="max(passed.total_seconds() for passed in times)",
        tests=suites.DELETIONS,
    ),
    Mutant(
        name="gc gives a notice again that nobody heeded any more, and goes on",
        file="objectstore/deletions.py",
        within="Deletion._give_notice_again",
        old="self._require_heeded()",
        new="None",
        tests=suites.DELETIONS,
    ),
    Mutant(
        name="who counts on an object looks only at those that are named in a notice",
        file="objectstore/deletions.py",
        within="taken_away",
        old="""
            wait_for_deletions(objects, names, runtime=runtime)
            return {name for name in _not_listed(objects, names) if objects.head(name) is None}
        """,
        new="""
            noticed = _noticed(objects) & set(names)
            wait_for_deletions(objects, names, runtime=runtime)
            return {name for name in noticed if objects.head(name) is None}
        """,
        tests=suites.BESIDE_STORING,
    ),
    Mutant(
        name="who counts on an object looks for it before he looks for notices",
        file="objectstore/deletions.py",
        within="taken_away",
        old="""
            wait_for_deletions(objects, names, runtime=runtime)
            return {name for name in _not_listed(objects, names) if objects.head(name) is None}
        """,
        new="""
            gone = {name for name in _not_listed(objects, names) if objects.head(name) is None}
            wait_for_deletions(objects, names, runtime=runtime)
            return gone
        """,
        tests=suites.DELETIONS,
    ),
    Mutant(
        name="what a page of a listing has not shown is taken for gone",
        file="objectstore/deletions.py",
        within="taken_away",
        old="{name for name in _not_listed(objects, names) if objects.head(name) is None}",
        new="set(_not_listed(objects, names)) if len(names) > 20 else {n for n in names if objects.head(n) is None}",
        tests=suites.DELETIONS,
    ),
    Mutant(
        name="gc asks for the names before it reads the jobs",
        file="results/garbage_collection.py",
        within="GarbageCollector._needs",
        old="""
            needs = needs_of(...)
            references = self._coordinator.references()
        """,
        new="""
            references = self._coordinator.references()
            needs = needs_of(...)
        """,
        tests=suites.CLEARING,
    ),
    Mutant(
        name="gc asks for the jobs before it lists the blobs",
        file="results/garbage_collection.py",
        within="GarbageCollector.survey",
        old="listed = [blob for place in PLACES for blob in self._blobs.list(place)]",
        new="""
            needs = self._needs()
            self._needs = lambda: needs
            listed = [blob for place in PLACES for blob in self._blobs.list(place)]
        """,
        tests=suites.CLEARING,
    ),
    Mutant(
        name="gc deletes the errors of documents that no job names",
        file="results/garbage.py",
        within="verdict",
        old="found[1] in needs.documents and found[1] not in needs.uncompleted",
        new="found[1] not in needs.uncompleted",
        tests=suites.GARBAGE,
    ),
]

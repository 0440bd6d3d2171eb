"""Bugs in the queue in a bucket that only an unlucky moment shows."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_bucket = partial(Mutant, tests=suites.CHANGE_TOKEN)

BUCKET = [
    _bucket(
        name="bucket: the change token is written before the marker of a new job",
        file="coordination/bucket/store.py",
        within="BucketJobStore.insert",
        old="added = self._pool.each(..., numbered)",
        new="""
            self._transitions.announce(numbered)
            added = self._pool.each(..., numbered)
        """,
    ),
    Mutant(
        name="bucket: a job without its source has a marker",
        file="coordination/bucket/transitions.py",
        within="Transitions._markers_of",
        old="awaits_source(job)",
        new="False",
        tests=suites.BUCKET,
    ),
    Mutant(
        name="bucket: a job that is announced has no record",
        file="coordination/bucket/store.py",
        within="BucketJobStore._add",
        old="isinstance(known, Tombstone) or awaits_source(job)",
        new="isinstance(known, Tombstone)",
        tests=suites.BUCKET,
    ),
    Mutant(
        name="bucket: a source that never comes is waited for for ever",
        file="coordination/bucket/reaper.py",
        within="_due_at",
        old="record.state in (RecordState.FAILED, RecordState.PENDING)",
        new="record.state is RecordState.FAILED",
        tests=suites.BUCKET,
    ),
    _bucket(
        name="bucket: the change token is written before the marker of a job that is free again",
        file="coordination/bucket/transitions.py",
        within="Transitions.reindex",
        old="""
            for name, body in mine.items():
                self._objects.put(name, body)
            self._objects.delete_many(...)
            if record.state is RecordState.PENDING and tell:
                self.announce([job])
        """,
        new="""
            if record.state is RecordState.PENDING and tell:
                self.announce([job])
            for name, body in mine.items():
                self._objects.put(name, body)
            self._objects.delete_many(...)
        """,
    ),
    _bucket(
        name="bucket: the change token is read after the listing",
        file="coordination/bucket/claims.py",
        within="Claims._refresh",
        old="scanners[lane].refresh(tokens)",
        new="""
            scanners[lane].refresh(tokens)
            scanners[lane].candidates()
            scanners[lane]._tokens = read_change_tokens(self._objects, lane)
        """,
    ),
    _bucket(
        name="bucket: every worker is elected to reap",
        file="coordination/bucket/reaper_election.py",
        within="ReaperElection.try_to_win",
        old="return False",
        new="return True",
    ),
    _bucket(
        name="bucket: a time of the next sweep that lies far ahead is believed",
        file="coordination/bucket/reaper_election.py",
        within="ReaperElection.try_to_win",
        old="now < next_at <= ...",
        new="now < next_at",
    ),
    _bucket(
        name="bucket: a reaper is elected without a condition",
        file="coordination/bucket/reaper_election.py",
        within="ReaperElection.try_to_win",
        old="self._objects.put(..., only=only)",
        new="self._objects.put(...)",
    ),
]
MARKERS = [
    Mutant(
        name="bucket: the marker of a waiting job names the worker that had it first",
        file="coordination/bucket/job_record.py",
        within="todo_body",
        old="history.attempts[-1].worker_id",
        new="history.attempts[0].worker_id",
        tests=suites.LAYOUT,
    ),
    Mutant(
        name="bucket: the marker of a failed job names the worker that had it first",
        file="coordination/bucket/job_record.py",
        within="failed_body",
        old="record.history.attempts[-1].worker_id",
        new="record.history.attempts[0].worker_id",
        tests=suites.LAYOUT,
    ),
    Mutant(
        name="bucket: a job that waits again says since when it was added",
        file="coordination/bucket/job_record.py",
        within="todo_body",
        old="_text(job.updated_at)",
        new="_text(job.created_at)",
        tests=suites.LAYOUT,
    ),
    Mutant(
        name="bucket: the old marker of a job is deleted before its new one is written",
        file="coordination/bucket/transitions.py",
        within="Transitions.reindex",
        old="""
            for name, body in mine.items():
                self._objects.put(name, body)
            self._objects.delete_many([name for name in markers(lane, job.source_hash) if name not in mine])
        """,
        new="""
            self._objects.delete_many([name for name in markers(lane, job.source_hash) if name not in mine])
            for name, body in mine.items():
                self._objects.put(name, body)
        """,
        tests=suites.MARKERS,
    ),
    Mutant(
        name="bucket: a heartbeat makes a job cancellable whose result is being published",
        file="coordination/bucket/transitions.py",
        within="Transitions._write",
        old="_is_finalising(current) and state is RecordState.HELD and ...",
        new="state is None and ...",
        tests=suites.MARKERS,
    ),
    Mutant(
        name="bucket: any process with the lease goes on publishing what another began",
        file="coordination/bucket/transitions.py",
        within="Transitions._finalising",
        old="current.record.instance != self.instance",
        new="False",
        tests=suites.MARKERS,
    ),
    Mutant(
        name="bucket: a marker is deleted although it was written since",
        file="coordination/bucket/adoption.py",
        within="Adoption._remove",
        old="self._objects.delete(name, only=...)",
        new="self._objects.delete(name)",
        tests=suites.ANOTHER_WRITER,
    ),
    Mutant(
        name="bucket: the markers in several tiers are read after the record",
        file="coordination/bucket/adoption.py",
        within="Adoption.adopt",
        old="""
            seen = self._in_tiers(key, tiers) if len(tiers) > 1 else []
            current = self._reader.read(key)
        """,
        new="""
            current = self._reader.read(key)
            seen = self._in_tiers(key, tiers) if len(tiers) > 1 else []
        """,
        tests=suites.ANOTHER_WRITER,
    ),
    Mutant(
        name="bucket: a write of a record that was sent twice counts as lost",
        file="coordination/bucket/transitions.py",
        within="Transitions._put",
        old="there.etag if there is not None and there.body == body else None",
        new="None",
        tests=suites.OUTAGES,
    ),
    Mutant(
        name="bucket: a result is kept under the recipe of another",
        file="blobs/library_store.py",
        within="BucketStaging.keep_replaced",
        old="metadata.get(RECIPE, UNRECORDED) == published",
        new="metadata is not None",
        tests=suites.PUBLISHED,
    ),
    Mutant(
        name="bucket: equal results of two runs have equal ETags",
        file="coordination/bucket/publishing.py",
        within="Publishing._put",
        old="self._nonce(8)",
        new="0",
        tests=suites.PUBLISHED,
    ),
    Mutant(
        name="bucket: a result with gaps or doubts is in no index of them",
        file="coordination/bucket/publishing.py",
        within="Publishing._publish",
        old="self._objects.put(entry, b'')",
        new="pass",
        tests=suites.BUCKET,
    ),
]
PUBLISHING = [
    Mutant(
        name="bucket: the indexes of gaps and doubts are written after the result",
        file="coordination/bucket/publishing.py",
        within="Publishing._publish",
        old="""
            for entry in flawed:
                self._objects.put(entry, b"")
            with self._staging.opened(job) as archive:
                while True:
                    only = ...
                    if ...:
                        ...
                    etag = self._put(name, archive, only, metadata)
                    ...
        """,
        new="""
            with self._staging.opened(job) as archive:
                while True:
                    only = ...
                    if ...:
                        ...
                    etag = self._put(name, archive, only, metadata)
                    for entry in flawed:
                        self._objects.put(entry, b"")
                    ...
        """,
        tests=suites.PUBLISHING,
    ),
    Mutant(
        name="bucket: a result that is gone is published as an archive without members",
        file="blobs/library_store.py",
        within="BucketStaging.opened",
        old="""
            if not self._fetched(key, stored):
                raise NotFound(...)
            yield stored
        """,
        new="yield stored if self._fetched(key, stored) else None",
        tests=suites.PUBLISHING,
    ),
]
READS = [
    Mutant(
        name="bucket: the result of a job is read before its records",
        file="coordination/bucket/stored_state.py",
        within="StateReader._recorded_or_published",
        old="""
            generations = self.generations(lane, key.source_hash)
            out = self.out(lane, key.source_hash)
        """,
        new="""
            out = self.out(lane, key.source_hash)
            generations = self.generations(lane, key.source_hash)
        """,
        tests=suites.IN_BETWEEN,
    ),
    Mutant(
        name="bucket: a write that came second returns the record that is there",
        file="coordination/bucket/transitions.py",
        within="Transitions._overwrite",
        old="return self.replace(current, record)",
        new="return self.replace(current, record) or self._reader.read(record.job.key)",
        tests=suites.IN_BETWEEN,
    ),
    Mutant(
        name="bucket: a first record that came second returns the record that is there",
        file="coordination/bucket/transitions.py",
        within="Transitions._overwrite",
        old="written = self.create(record)",
        new="written = self.create(record) or self._reader.read(record.job.key)",
        tests=suites.IN_BETWEEN,
    ),
    Mutant(
        name="bucket: the record is not read again after the marker",
        file="coordination/bucket/stored_state.py",
        within="StateReader.read",
        old="self.read_once(key) or self._recorded_or_published(key) or self._cut_off(key)",
        new="self.read_once(key) or self._cut_off(key)",
        tests=suites.IN_BETWEEN,
    ),
    Mutant(
        name="bucket: who adopts a job second writes over what the first wrote",
        file="coordination/bucket/adoption_record.py",
        within="keep",
        old="objects.put(_name(job.key), body, only=...)",
        new="objects.put(_name(job.key), body)",
        tests=suites.IN_BETWEEN,
    ),
    Mutant(
        name="bucket: who adopts a job second does not read what the first wrote",
        file="coordination/bucket/adoption_record.py",
        within="keep",
        old="first = read(objects, job.key)",
        new="first = None",
        tests=suites.IN_BETWEEN,
    ),
    Mutant(
        name="bucket: a heartbeat of another program that lies far ahead is believed",
        file="coordination/bucket/job_record.py",
        within="foreign_record",
        old="stated if stated <= modified + FOREIGN_LEASE else modified",
        new="stated",
        tests=suites.FOREIGN_WORKERS,
    ),
]

CUT_WRITES = [
    Mutant(
        name="bucket: the body of a write is sent without its digest",
        file="objectstore/client.py",
        within="ObjectStore._ask",
        old='facts["ContentMD5"] = content_md5(facts["Body"])',
        new="None",
        tests=suites.CUT_WRITES,
    ),
    Mutant(
        name="bucket: what a cut write has left counts as the object",
        file="objectstore/cut_writes.py",
        within="is_remains",
        old="size == 0 and _NEVER_EMPTY.fullmatch(name) is not None",
        new="False",
        tests=suites.CUT_WRITES,
    ),
    Mutant(
        name="bucket: who writes something new gives way to what a cut write has left",
        file="objectstore/client.py",
        within="ObjectStore._put",
        old="only.if_new or lost.is_unclear",
        new="lost.is_unclear",
        tests=suites.CUT_WRITES,
    ),
    Mutant(
        name="bucket: who replaces what is left writes over who was quicker",
        file="objectstore/client.py",
        within="ObjectStore._put",
        old="only = Only(if_etag=left.etag)",
        new="only = ALWAYS",
        tests=suites.CUT_WRITES,
    ),
    Mutant(
        name="bucket: what another has left of an object is taken for one's own",
        file="objectstore/client.py",
        within="ObjectStore._put",
        old='not only.if_new and left.metadata != decoded(facts["Metadata"])',
        new="False",
        tests=suites.CUT_WRITES,
    ),
    Mutant(
        name="bucket: gc takes the source of a job whose result was cut off",
        file="coordination/bucket/inventory.py",
        within="Inventory.references",
        old="chain(names, remains)",
        new="names",
        tests=suites.INVENTORY,
    ),
    Mutant(
        name="bucket: a job whose result was cut off is forgotten",
        file="coordination/bucket/stored_state.py",
        within="StateReader.read",
        old="self.read_once(key) or self._recorded_or_published(key) or self._cut_off(key)",
        new="self.read_once(key) or self._recorded_or_published(key)",
        tests=suites.CUT_WRITES,
    ),
    Mutant(
        name="bucket: a job whose record was cut off is never claimed again",
        file="coordination/bucket/claims.py",
        within="Claims._repair_stale_marker",
        old="self._transitions.record_again(current)",
        new="None",
        tests=suites.CUT_WRITES,
    ),
]

"""Bugs in the queue in a bucket that only an unlucky moment shows, and in what clears its store."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_bucket = partial(Mutant, tests=suites.HINTS)

BUCKET = [
    _bucket(
        name="bucket: the hint is written before the marker of a new job",
        file="coordination/bucket/store.py",
        old="        added = self._pool.each(lambda job: self._add(job, known.get(job.key)), numbered)\n",
        new="        self._transitions.announce(numbered)\n"
        "        added = self._pool.each(lambda job: self._add(job, known.get(job.key)), numbered)\n",
    ),
    _bucket(
        name="bucket: the hint is written before the marker of a job that is free again",
        file="coordination/bucket/transitions.py",
        old="        for name, body in mine.items():\n            self._objects.put(name, body)\n",
        new="        if record.state is RecordState.PENDING and tell:\n            self.announce([job])\n"
        "        for name, body in mine.items():\n            self._objects.put(name, body)\n",
    ),
    _bucket(
        name="bucket: the hint is read after the listing",
        file="coordination/bucket/claims.py",
        old="            lines[lane].look(tokens)\n",
        new="            lines[lane].look(tokens)\n            lines[lane].offers()\n"
        "            lines[lane]._tokens = read_change_tokens(self._objects, lane)\n",
    ),
    _bucket(
        name="bucket: every worker takes the turn of the janitor",
        file="coordination/bucket/reaper_election.py",
        old="                return False\n",
        new="                return True\n",
    ),
    _bucket(
        name="bucket: a turn is taken without a condition",
        file="coordination/bucket/reaper_election.py",
        old='.encode("ascii"), only=only) is not None',
        new='.encode("ascii")) is not None',
    ),
]
MARKERS = [
    Mutant(
        name="bucket: the old marker of a job is deleted before its new one is written",
        file="coordination/bucket/transitions.py",
        old="        for name, body in mine.items():\n            self._objects.put(name, body)\n"
        "        self._objects.delete_many([name for name in markers(lane, job.source_hash) if name not in mine])\n",
        new="        self._objects.delete_many([name for name in markers(lane, job.source_hash) if name not in mine])\n"
        "        for name, body in mine.items():\n            self._objects.put(name, body)\n",
        tests=suites.MARKERS,
    ),
    Mutant(
        name="bucket: a heartbeat makes a job cancellable whose result is being published",
        file="coordination/bucket/transitions.py",
        old="        if _is_finalising(current) and state is RecordState.HELD and _is_same_lease",
        new="        if state is None and _is_same_lease",
        tests=suites.MARKERS,
    ),
    Mutant(
        name="bucket: a result is kept under the recipe of another",
        file="blobs/library_store.py",
        old="if metadata.get(RECIPE, UNRECORDED) == published:",
        new="if metadata is not None:",
        tests=suites.PUBLISHED,
    ),
]
OUTPUTS = [
    Mutant(
        name="outputs are recorded before they are on the disk",
        file="conversion/durable_ledger.py",
        old="            durable_files.sync_all(files)\n",
        new="            self._ledger.write(outputs)\n            durable_files.sync_all(files)\n",
        tests=suites.POWER_CUT,
    ),
    Mutant(
        name="an output of another recipe counts as current",
        file="ports/output_ledger.py",
        old="        return self.source_hash, self.recipe_id, self.pages,",
        new="        return self.source_hash, self.pages,",
        tests=suites.HYDRATION,
    ),
]
CLEARING = [
    Mutant(
        name="gc asks for the jobs once, and not before each portion",
        file="results/sweeping.py",
        old="        for start in range(0, len(survey.garbage), AT_ONCE):\n            needs = self._needs()\n",
        new="        needs = self._needs()\n        for start in range(0, len(survey.garbage), AT_ONCE):\n",
        tests=suites.CLEARING,
    ),
    Mutant(
        name="gc asks for the names before it reads the jobs",
        file="results/sweeping.py",
        old="        needs = needs_of(every_job(self._coordinator, JobFilter()))\n"
        "        # Behind the jobs: what is added while they are read is named by now.\n"
        "        named = self._coordinator.named()\n",
        new="        named = self._coordinator.named()\n"
        "        needs = needs_of(every_job(self._coordinator, JobFilter()))\n",
        tests=suites.CLEARING,
    ),
    Mutant(
        name="gc asks for the jobs before it lists the blobs",
        file="results/sweeping.py",
        old="        listed = [blob for place in PLACES for blob in self._blobs.list(place)]\n",
        new="        needs = self._needs()\n"
        "        self._needs = lambda: needs  # type: ignore[method-assign]\n"
        "        listed = [blob for place in PLACES for blob in self._blobs.list(place)]\n",
        tests=suites.CLEARING,
    ),
]

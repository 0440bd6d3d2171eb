"""Bugs in what a server shows and publishes: what is discreet, what is another project's, and what came too late."""

from tests.mutants import suites
from tests.mutants.mutant import Mutant

SEEN_BY = [
    Mutant(
        name="a discreet result is read by who sees another job of its document",
        file="server/visible_blobs.py",
        within="_is_visible",
        old="""
            plain = ...
            if blob.kind == "log": ...
            return any(result_record(job).key == key for job in plain)
        """,
        new="""
            plain = ...
            if blob.kind == "log": ...
            return bool(plain)
        """,
        tests=suites.DISCREET_RESULTS,
    ),
    Mutant(
        name="a discreet error log is read by who sees another job of its document",
        file="server/visible_blobs.py",
        within="_is_visible",
        old="len(plain) == len(jobs) > 0",
        new="len(plain) > 0",
        tests=suites.DISCREET_RESULTS,
    ),
    Mutant(
        name="a job of another project that was not heard of is given by what the server remembers",
        file="server/api/settling.py",
        within="Settling._unheard",
        old="[job for job in given if job.project == project]",
        new="[job for job in given]",
        tests=suites.WORKERS_OF_ALL_PROJECTS,
    ),
    Mutant(
        name="a job of another project that was not heard of is given by what the queue says",
        file="server/api/settling.py",
        within="Settling._unheard",
        old="JobFilter(project=project, state=State.RUNNING, worker_id=process)",
        new="JobFilter(state=State.RUNNING, worker_id=process)",
        tests=suites.WORKERS_OF_ALL_PROJECTS,
    ),
    Mutant(
        name="what a worker does for another project is told",
        file="server/api/looking.py",
        within="_without_others",
        old="replace(worker, metadata=metadata, current_job_id=current)",
        new="replace(worker, metadata=metadata, current_job_id=worker.current_job_id)",
        tests=suites.WORKERS_OF_ALL_PROJECTS,
    ),
]

PUBLISHED_BY = [
    Mutant(
        name="a lease that was lost early counts by what the server remembers",
        file="server/api/settling.py",
        within="Settling.find_uploaded",
        old="copies_of(self._leases(), self._asker, self._parts, anew=True)",
        new="copies_of(self._leases(), self._asker, self._parts)",
        tests=suites.LATE_WORKERS,
    ),
    Mutant(
        name="every project publishes where the default one does",
        file="server/results_in.py",
        within="published_key",
        old="(job.project, job.type) == (DEFAULT_PROJECT, PDF)",
        new="job.type == PDF",
        tests=suites.RESULTS_OF_PROJECTS,
    ),
    Mutant(
        name="a result that is to be kept aside is published",
        file="blobs/http/store.py",
        within="ResultUploads.adopt",
        old="UploadedResult(id=upload, size=size, sha256=sha256, publish=self._publish)",
        new="UploadedResult(id=upload, size=size, sha256=sha256, publish=True)",
        tests=suites.KEPT_RESULTS,
    ),
    Mutant(
        name="what was uploaded for an ending without room is forgotten",
        file="coordination/http/coordinator.py",
        within="_is_over",
        old="not isinstance(outcome, StoreUnavailable | DiskFull)",
        new="True",
        tests=suites.KEPT_RESULTS,
    ),
]

ACCOUNTS = [
    Mutant(
        name="what an admin changes while an account is seen is undone",
        file="server/auth/accounts_door.py",
        within="AccountsDoor._by_worker_secret",
        old="""
            found = ...
            if found is None or not ...: ...
            if not found.is_enabled: ...
            now = ...
            if ...:
                await self._crossing.write(
                    lambda: self._accounts.update_worker(name, lambda before: account.seen(before, now=now))
                )
        """,
        new="""
            found = ...
            if found is None or not ...: ...
            if not found.is_enabled: ...
            now = ...
            if ...:
                await self._crossing.write(
                    lambda: self._accounts.update_worker(name, lambda before: account.seen(found, now=now))
                )
        """,
        tests=suites.SEEN_WORKERS,
    ),
]

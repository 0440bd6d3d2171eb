"""Bugs in the statements of PostgreSQL."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_statements = partial(Mutant, file="coordination/sql/postgres/statements.py", tests=suites.POSTGRES)

STATEMENTS = [
    _statements(
        name="postgres: a job comes back from the completed archive as ready",
        old='"…, FALSE FROM back…"',
        new='"…, TRUE FROM back…"',
    ),
    # Locks
    _statements(
        name="postgres: a claim does not lock",
        old='READY = "… FOR UPDATE SKIP LOCKED"',
        new='READY = "…"',
    ),
    _statements(
        name="postgres: a claim waits for others",
        old='READY = "… SKIP LOCKED"',
        new='READY = "…"',
    ),
    _statements(
        name="postgres: a sweep does not lock",
        old='DUE = "… FOR UPDATE SKIP LOCKED"',
        new='DUE = "…"',
    ),
    _statements(
        name="postgres: a sweep waits for others",
        old='DUE = "… SKIP LOCKED"',
        new='DUE = "…"',
    ),
    _statements(
        name="postgres: a forgotten job leaves its files",
        old='("job_attempts", "job_events", "files", "job_leases")',
        new='("job_attempts", "job_events", "job_leases")',
    ),
    _statements(
        name="postgres: a forgotten job leaves its lease",
        old='("job_attempts", "job_events", "files", "job_leases")',
        new='("job_attempts", "job_events", "files")',
    ),
    _statements(
        name="postgres: a change does not lock",
        old='LOCKED = "… FOR UPDATE"',
        new='LOCKED = "…"',
    ),
    _statements(
        name="postgres: the share lock of a renewal is missing",
        old='RENEW = "… FOR SHARE…"',
        new='RENEW = "……"',
    ),
    # Fencing
    _statements(
        name="postgres: the revision of one is not compared",
        within="update_one",
        old='f"…AND {_AS_READ}"',
        new="f\"…AND {_AS_READ.replace('rev IS NOT DISTINCT FROM %s', '%s::bigint IS NOT NULL')}\"",
    ),
    _statements(
        name="postgres: the revision of equals is not compared",
        within="_update_many",
        old='f"…AND {_AS_READ} RETURNING id"',
        new="f\"…AND {_AS_READ.replace('rev IS NOT DISTINCT FROM %s', '%s::bigint IS NOT NULL')} RETURNING id\"",
    ),
    _statements(
        name="postgres: the revision of many is not compared",
        within="_update_many",
        old='f"jobs.{name} IS NOT DISTINCT FROM "',
        new='f"jobs.{name} IS NOT DISTINCT FROM " if name != "rev" else "-1 <> "',
    ),
    _statements(
        name="postgres: the revision of a renewal is not compared",
        old='RENEW = "… AND jobs.rev = new.rev AND…"',
        new='RENEW = "… AND…"',
    ),
    _statements(
        name="postgres: anybody renews a lease",
        old='RENEW = "… AND worker_id = new.worker_id AND…"',
        new='RENEW = "… AND…"',
    ),
    _statements(
        name="postgres: an older lease is renewed",
        old='RENEW = "… AND lease_number = new.lease_number FOR SHARE…"',
        new='RENEW = "… FOR SHARE…"',
    ),
    _statements(
        name="postgres: a renewal keeps the number of an older lease",
        old='RENEW = "…SET lease_number = excluded.lease_number, expires_at…"',
        new='RENEW = "…SET expires_at…"',
    ),
    _statements(
        name="postgres: what people change hides behind a renewal",
        old='ADJUST_LEASE = "…WHERE job_id = %s…"',
        new='ADJUST_LEASE = "…WHERE job_id = -%s…"',
    ),
    # The order of claims
    _statements(
        name="postgres: the priority is ignored",
        old='_CLAIM_ORDER = ", ".join(CLAIM_ORDER)',
        new='_CLAIM_ORDER = "created_at, id"',
    ),
    _statements(
        name="postgres: the age is ignored",
        old='_CLAIM_ORDER = ", ".join(CLAIM_ORDER)',
        new='_CLAIM_ORDER = "priority, id"',
    ),
    _statements(
        name="postgres: the type is ignored",
        old='READY = "…AND type = %s…"',
        new="READY = \"…AND %s <> ''…\"",
    ),
    _statements(
        name="postgres: another order keeps the old needs",
        file="coordination/sql/postgres/transaction.py",
        within="_columns",
        old="[job.needs for job in jobs]",
        new="['' for job in jobs]",
    ),
    _statements(
        name="postgres: a job from the completed archive has lost its needs",
        file="coordination/sql/postgres/transaction.py",
        within="PostgresTransaction._restored",
        old="""
            if job.needs:
                ...
        """,
        new="""
            if not job:
                ...
        """,
    ),
    _statements(
        name="postgres: a sweep goes by id",
        old='DUE = "…ORDER BY due_at…"',
        new='DUE = "…ORDER BY id…"',
    ),
    _statements(
        name="postgres: what is due just now is left",
        old='DUE = "…due_at <= %s…"',
        new='DUE = "…due_at < %s…"',
    ),
    _statements(
        name="postgres: renewed leases stay at the head of the sweep",
        old='POSTPONE = "…SET due_at = new.due_at…"',
        new='POSTPONE = "…SET due_at = jobs.due_at…"',
    ),
    # What is recorded
    _statements(
        name="postgres: an attempt is recorded though its end failed",
        within="update_one",
        old='"… FROM done"',
        new='"…"',
    ),
    _statements(
        name="postgres: attempts are recorded though their ends failed",
        within="update_many",
        old='"… WHERE job_id IN (SELECT id FROM done)"',
        new='"…"',
    ),
    # Adding, and the archive
    _statements(
        name="postgres: what is added loses its order",
        within="add_copied",
        old='"… ORDER BY place…"',
        new='"… ORDER BY new.source_hash…"',
    ),
    _statements(
        name="postgres: a known job is overwritten",
        old='"…DO NOTHING RETURNING id…"',
        new='"…DO UPDATE SET priority = excluded.priority RETURNING id…"',
    ),
    _statements(
        name="postgres: the keys of archived jobs are unknown",
        old='"…AS old WHERE…"',
        new='"…AS old WHERE FALSE AND…"',
    ),
    _statements(
        name="postgres: an archived key is of all projects",
        old='"… AND old.project = new.project)"',
        new='"…)"',
    ),
    _statements(
        name="postgres: an archived job is not found when it is added again",
        old="('jobs', 'jobs_archive')",
        new="('jobs',)",
    ),
    _statements(
        name="postgres: an archived job is there twice when it comes back",
        old='f"WITH back AS (DELETE FROM jobs_archive WHERE id = ANY(%s) RETURNING {_ALL})…"',
        new='f"WITH back AS (SELECT {_ALL} FROM jobs_archive WHERE id = ANY(%s))…"',
    ),
]

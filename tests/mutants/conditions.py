"""Bugs in the conditions on which jobs are changed and claimed."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_changes = partial(Mutant, file="coordination/changes.py", tests=suites.SERVICE)

CONDITIONS = [
    _changes(
        name="a job that changed is retried with the others",
        within="at_revision",
        old="rev in (None, job.rev)",
        new="True",
    ),
    _changes(
        name="a job is cancelled with the others that is not what was wanted any more",
        within="while_matching",
        old="matches(job, still)",
        new="True",
    ),
    Mutant(
        name="sqlite: a paused lane is claimed from",
        file="coordination/sql/sqlite.py",
        old='"NOT EXISTS (SELECT 1 FROM paused_lanes…"',
        new='"(? IS NOT NULL OR ? IS NOT NULL)"',
        tests=suites.SQLITE,
    ),
    Mutant(
        name="postgres: a paused lane is claimed from",
        file="coordination/sql/postgres/statements.py",
        old='_IS_OPEN = "NOT EXISTS (SELECT 1 FROM paused_lanes…"',
        new='_IS_OPEN = "(%s::text IS NOT NULL OR %s::text IS NOT NULL)"',
        tests=suites.POSTGRES,
    ),
    Mutant(
        name="memory: a paused lane is claimed from",
        file="coordination/memory/store.py",
        within="MemoryJobStore.apply",
        old="(queue.project, kind) not in self._pauses",
        new="True",
        tests=suites.MEMORY,
    ),
    Mutant(
        name="an abandoned request is taken over at once",
        file="domain/idempotency.py",
        within="may_be_taken",
        old="kept.taken_at <= now - ABANDONED_AFTER",
        new="True",
        tests=("tests/contract/test_idempotency_keys.py",),
    ),
]

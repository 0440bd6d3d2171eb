"""The ways in which earlier protocols lost jobs, each put back into the real code, and where each is caught.

The numbers are those of the table in docs/proof.md.
"""

from typing import NamedTuple

from tests.mutants.mutant import Mutant
from tests.proof.pairs import Pair

_TRANSITIONS = "coordination/bucket/transitions.py"
_CLAIMS = "coordination/bucket/claims.py"
_REAPER = "coordination/bucket/reaper.py"
_RECONCILER = "coordination/bucket/reconciler.py"
_SNAPSHOT = "coordination/bucket/listing_snapshot.py"
_PUBLISHING = "coordination/bucket/publishing.py"
_SCANNER = "coordination/bucket/todo_scanner.py"
_CLIENT = "objectstore/client.py"


class Edit(NamedTuple):
    """As in a Mutant: a pattern within a function, and what stands in its place."""

    file: str
    within: str
    old: str
    new: str


class Trace(NamedTuple):
    number: int
    name: str
    edits: tuple[Edit, ...]
    pairs: tuple[Pair, ...] = ()
    """Where the exploration should find it, with one fault at most."""
    tests: tuple[str, ...] = ()
    """Directed schedules, for what two actors on one job cannot show."""

    @property
    def mutants(self) -> list[Mutant]:
        return [
            Mutant(f"trace {self.number}: {self.name}", edit.file, edit.old, edit.new, self.tests, edit.within)
            for edit in self.edits
        ]


def _unconditional(when: str) -> Edit:
    """A write of a record without the condition that it was not written since it was read."""
    return Edit(
        _TRANSITIONS,
        "Transitions.replace",
        "self._put(record, Only(if_etag=current.etag), current.out)",
        f"self._put(record, Only() if {when} else Only(if_etag=current.etag), current.out)",
    )


TRACES = [
    Trace(
        1,
        "a heartbeat overwrites whatever is there",
        (_unconditional("current.record.state is RecordState.HELD and record.state is RecordState.HELD"),),
        (Pair("stale", "holder beats", "sweep"), Pair("held", "holder beats", "cancel")),
    ),
    Trace(
        2,
        "the reaper frees a job that was renewed since",
        (
            Edit(
                _REAPER,
                "Reaper._apply",
                "written = self._transitions.replace(current._replace(out=out), record)",
                """
                    from blobforge.objectstore.client import Only
                    written = self._transitions._put(record, Only(), out)
                """,
            ),
        ),
        (Pair("stale", "holder beats", "sweep"),),
    ),
    Trace(
        3,
        "a zombie publishes over the result of another",
        (
            Edit(
                _PUBLISHING,
                "Publishing._publish",
                "only = Only(if_new=True) if out is None else Only(if_etag=out.etag)",
                "only = Only()",
            ),
        ),
        (Pair("expired while publishing", "holder succeeds", "succeeds"),),
    ),
    Trace(
        4,
        "markers are not rebuilt from the record",
        (
            Edit(
                _RECONCILER,
                "Reconciler._wrong_markers",
                "_listed(listing, job) != _expected(record)",
                "not _expected(record)",
            ),
        ),
        (Pair("waiting", "fails", "sweep"), Pair("failed and due", "sweep", "sweep")),
    ),
    Trace(
        5,
        "two reapers move a failed job without a condition",
        (_unconditional("current.record.state is RecordState.FAILED"),),
        (Pair("failed and due", "sweep", "sweep"), Pair("failed and due", "sweep", "cancel")),
    ),
    Trace(
        6,
        "the tier of a job is what its marker says, not its record",
        (
            Edit(
                _RECONCILER,
                "Reconciler._wrong_markers",
                "_listed(listing, job) != _expected(record)",
                "_listed(listing, job)[1:] != _expected(record)[1:]",
            ),
        ),
        (Pair("released", "promote", "demote"),),
    ),
    Trace(
        7,
        "the reconciler judges a retried job by its old record",
        (
            Edit(
                _SNAPSHOT,
                "SnapshotReader.records",
                "known.name.generation < name.generation",
                "known.name.generation > name.generation",
            ),
        ),
        (Pair("dead", "retry", "reconcile"),),
    ),
    Trace(
        8,
        "the reconciler does not check what is published",
        (
            Edit(
                _RECONCILER,
                "Reconciler._inconsistencies",
                """
                    if source_hash in listing.outs:
                        yield from self._leftovers(listing, source_hash, record)
                    else:
                        ...
                """,
                """
                    if source_hash in listing.outs and record is not None and record.generation > 1:
                        yield from self._leftovers(listing, source_hash, record)
                    else:
                        ...
                """,
            ),
        ),
        (
            Pair("expired while publishing", "holder succeeds", "cancel"),
            Pair("expired while publishing", "holder succeeds", "fails"),
        ),
    ),
    Trace(
        9,
        "the record of a dead job is deleted",
        (
            Edit(
                _TRANSITIONS,
                "Transitions.reindex",
                """
                    self._objects.delete_many([name for name in markers(lane, job.source_hash) if name not in expected])
                    if record.state is RecordState.PENDING and announce:
                        ...
                """,
                """
                    self._objects.delete_many([name for name in markers(lane, job.source_hash) if name not in expected])
                    if record.state is RecordState.DEAD:
                        self._objects.delete(lane.record(job.source_hash, record.generation))
                    if record.state is RecordState.PENDING and announce:
                        ...
                """,
            ),
        ),
        (Pair("waiting", "succeeds", "cancel"), Pair("dead", "retry", "reconcile")),
    ),
    Trace(
        10,
        "a cleaner reaches the record of the next generation",
        (Edit(_TRANSITIONS, "Transitions.remove_leftovers", "range(1, generation + 1)", "range(1, generation + 2)"),),
        (Pair("done and untidy", "reconcile", "retry"), Pair("done and untidy", "retry", "succeeds")),
    ),
    Trace(
        11,
        "any result counts, also one of an older generation",
        (
            Edit(
                _CLAIMS,
                "Claims._claim_record",
                "out is not None and out.generation >= generation",
                "out is not None",
            ),
            Edit(
                _PUBLISHING,
                "Publishing._publish",
                "out is not None and out.generation >= finalising.generation",
                "out is not None",
            ),
        ),
        (Pair("retried while publishing", "holder succeeds", "succeeds"), Pair("run again", "succeeds", "sweep")),
    ),
    Trace(
        12,
        "after a lost reply, whatever is there is taken for one's own",
        (Edit(_CLIENT, "ObjectStore.put", "there is not None and there.body == body", "there is not None"),),
        (Pair("waiting", "succeeds", "succeeds"),),
    ),
    Trace(
        13,
        "a pending record counts as taken",
        (
            Edit(
                _CLAIMS,
                "Claims._reason_to_skip",
                "record.state in IN_PROGRESS",
                "record.state in (*IN_PROGRESS, 'pending')",
            ),
        ),
        (Pair("released", "succeeds", "sweep"),),
    ),
    Trace(
        14,
        "only the first page of a tier is listed",
        (
            Edit(
                _SCANNER,
                "TodoScanner._list_next_page",
                """
                    self._start_scan(markers[0].priority)
                    return
                """,
                "self._after = None",
            ),
        ),
        tests=("tests/proof/test_claim_order.py::test_a_free_job_behind_a_page_of_running_ones_is_found",),
    ),
    Trace(
        15,
        "a worker begins at any tier",
        (
            Edit(
                _SCANNER,
                "TodoScanner._list_next_page",
                "self._after or None",
                "self._after or self._end_of_tier(3)",
            ),
        ),
        tests=("tests/proof/test_claim_order.py::test_a_critical_job_goes_before_all_others",),
    ),
    Trace(
        16,
        "a claim counts from an old marker",
        (
            Edit(
                _CLAIMS,
                "Claims._claim_record",
                "_after_take(take, record.job)",
                "_after_take(take, record.job._replace(attempts=0))",
            ),
        ),
        (Pair("failed twice", "fails", "sweep"),),
    ),
    Trace(
        17,
        "a marker that is left over stands in the way of a retry",
        (
            Edit(
                _TRANSITIONS,
                "Transitions.reindex",
                "self._objects.put(name, body)",
                "self._objects.put(name, body, only=Only(if_new=True))",
            ),
            Edit(_CLAIMS, "Claims._reason_to_skip", "self._objects.delete(candidate.name)", ""),
        ),
        (Pair("dead and marked", "retry", "succeeds"),),
    ),
    Trace(
        20,
        "a worker that starts takes all of its name for dead",
        (
            Edit(
                "worker/instance.py",
                "Instance.dead",
                "fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)",
                "",
            ),
        ),
        tests=("tests/unit/worker/test_instance.py",),
    ),
    Trace(
        21,
        "who wins and hears nothing of it takes itself for the loser",
        (
            Edit(
                _CLIENT,
                "ObjectStore.put",
                "there.etag if there is not None and there.body == body else None",
                "None",
            ),
            Edit(
                _TRANSITIONS,
                "Transitions._put",
                "there.etag if there is not None and there.body == body else None",
                "None",
            ),
        ),
        (Pair("waiting", "succeeds", "sweep"),),
    ),
    Trace(
        22,
        "nobody looks whether a converter makes progress",
        (
            Edit(
                "worker/child.py",
                "Child._await_reply",
                """
                    if now >= stalled:
                        raise ChildStalled(...)
                """,
                """
                    if now >= stalled + 3600:
                        raise ChildStalled(...)
                """,
            ),
        ),
        tests=(
            "tests/integration/worker/test_child_limits.py::test_a_child_without_progress_is_ended_by_the_watchdog",
        ),
    ),
    Trace(
        23,
        "an attempt is not counted when it begins",
        (
            Edit(
                "domain/lifecycle.py", "claim", "job._replace(attempts=job.attempts + 1, **...)", "job._replace(**...)"
            ),
        ),
        (Pair("released", "succeeds", "sweep"), Pair("last try and stale", "holder succeeds", "sweep")),
    ),
]

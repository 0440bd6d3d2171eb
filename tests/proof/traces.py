"""The bugs by which earlier protocols lost jobs, each put back into the real code, and where each is caught.

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
_REPLACE = "        return self._put(record, Only(if_etag=current.etag), current.out)"


class Edit(NamedTuple):
    file: str
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
        return [Mutant(self.name, edit.file, edit.old, edit.new, self.tests) for edit in self.edits]


def _unconditional(when: str) -> Edit:
    """A write of a record without the condition that it was not written since it was read."""
    new = f"        only = Only() if {when} else Only(if_etag=current.etag)\n"
    return Edit(_TRANSITIONS, _REPLACE, new + "        return self._put(record, only, current.out)")


TRACES = [
    Trace(
        1,
        "a heartbeat overwrites whatever is there",
        (_unconditional("current.record.state is RecordState.HELD and record.state is RecordState.HELD"),),
        (Pair("stale", "holder beats", "sweep"), Pair("held", "holder beats", "cancel")),
    ),
    Trace(
        2,
        "a reaper frees a job that was renewed since",
        (
            Edit(
                _REAPER,
                "self._transitions.replace(current._replace(out=out), record)",
                "self._transitions._put(record, Only(), out)",
            ),
            Edit(
                _REAPER,
                "from blobforge.ports.job_store import Change\n",
                "from blobforge.objectstore.client import Only\nfrom blobforge.ports.job_store import Change\n",
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
                "only = Only(if_new=True) if out is None else Only(if_etag=out.etag)",
                "only = Only()",
            ),
        ),
        (Pair("expired while publishing", "holder succeeds", "succeeds"),),
    ),
    Trace(
        4,
        "markers are not rebuilt from the record",
        (Edit(_RECONCILER, "if _listed(listing, job) != _expected(record):", "if not _expected(record):"),),
        (Pair("waiting", "fails", "sweep"), Pair("failed and due", "sweep", "sweep")),
    ),
    Trace(
        5,
        "two reapers change a failed job without a condition",
        (_unconditional("current.record.state is RecordState.FAILED"),),
        (Pair("failed and due", "sweep", "sweep"), Pair("failed and due", "sweep", "cancel")),
    ),
    Trace(
        6,
        "the tier of a job is what its marker says, not its record",
        (
            Edit(
                _RECONCILER,
                "if _listed(listing, job) != _expected(record):",
                "if _listed(listing, job)[1:] != _expected(record)[1:]:",
            ),
        ),
        (Pair("released", "promote", "demote"),),
    ),
    Trace(
        7,
        "a reconciler judges a retried job by its old record",
        (Edit(_SNAPSHOT, "known.name.generation < name.generation", "known.name.generation > name.generation"),),
        (Pair("dead", "retry", "reconcile"),),
    ),
    Trace(
        8,
        "a reconciler does not check what is published",
        (
            Edit(
                _RECONCILER,
                "            if source_hash in listing.outs:\n",
                "            if source_hash in listing.outs and record is not None and record.generation > 1:\n",
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
                "        self._objects.delete_many([name for name in markers(lane, job.source_hash) "
                "if name not in expected])\n",
                "        self._objects.delete_many([name for name in markers(lane, job.source_hash) "
                "if name not in expected])\n"
                "        if record.state is RecordState.DEAD:\n"
                "            self._objects.delete(lane.record(job.source_hash, record.generation))\n",
            ),
        ),
        (Pair("waiting", "succeeds", "cancel"), Pair("dead", "retry", "reconcile")),
    ),
    Trace(
        10,
        "a clean-up reaches the record of the next generation",
        (Edit(_TRANSITIONS, "range(1, generation + 1)", "range(1, generation + 2)"),),
        (Pair("done and untidy", "reconcile", "retry"), Pair("done and untidy", "retry", "succeeds")),
    ),
    Trace(
        11,
        "any result counts, also one of an older generation",
        (
            Edit(_CLAIMS, "if out is not None and out.generation >= generation:", "if out is not None:"),
            Edit(_PUBLISHING, "if out is not None and out.generation >= finalising.generation:", "if out is not None:"),
        ),
        (Pair("retried while publishing", "holder succeeds", "succeeds"), Pair("run again", "succeeds", "sweep")),
    ),
    Trace(
        12,
        "after a lost reply, whatever is there is taken for one's own",
        (Edit(_CLIENT, "there is not None and there.body == body", "there is not None"),),
        (Pair("waiting", "succeeds", "succeeds"),),
    ),
    Trace(
        13,
        "a pending record counts as taken",
        (
            Edit(
                _CLAIMS,
                "        if record.state in IN_PROGRESS:\n",
                "        if record.state in (*IN_PROGRESS, 'pending'):\n",
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
                "            self._start_scan(markers[0].priority)\n            return\n",
                "            self._after = None\n",
            ),
        ),
        tests=("tests/proof/test_claim_order.py::test_a_free_job_behind_a_page_of_running_ones_is_found",),
    ),
    Trace(
        15,
        "a scan begins at any tier",
        (
            Edit(
                _SCANNER,
                "listed = self._objects.page(self._lane.todo, after=self._after or None)",
                "listed = self._objects.page(self._lane.todo, after=self._after or self._end_of_tier(3))",
            ),
        ),
        tests=("tests/proof/test_claim_order.py::test_a_critical_job_goes_before_all_others",),
    ),
    Trace(
        16,
        "a claim counts attempts from a stale marker",
        (
            Edit(
                _CLAIMS,
                "after = _after_take(take, record.job)",
                "after = _after_take(take, record.job._replace(attempts=0))",
            ),
        ),
        (Pair("failed twice", "fails", "sweep"),),
    ),
    Trace(
        17,
        "a left-over marker blocks a retry",
        (
            Edit(
                _TRANSITIONS,
                "            self._objects.put(name, body)\n",
                "            self._objects.put(name, body, only=Only(if_new=True))\n",
            ),
            Edit(_CLAIMS, "            self._objects.delete(candidate.name)\n", ""),
        ),
        (Pair("dead and marked", "retry", "succeeds"),),
    ),
    Trace(
        20,
        "a worker that starts treats all of its name as dead",
        (
            Edit(
                "worker/instance.py",
                "                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
                "",
            ),
        ),
        tests=("tests/unit/worker/test_instance.py",),
    ),
    Trace(
        21,
        "a winner whose reply was lost takes itself for the loser",
        (
            Edit(
                _CLIENT,
                "return there.etag if there is not None and there.body == body else None",
                "return None",
            ),
            Edit(
                _TRANSITIONS, "etag = there.etag if there is not None and there.body == body else None", "etag = None"
            ),
        ),
        (Pair("waiting", "succeeds", "sweep"),),
    ),
    Trace(
        22,
        "nobody looks whether a converter makes progress",
        (Edit("worker/child.py", "            if now >= stalled:\n", "            if now >= stalled + 3600:\n"),),
        tests=(
            "tests/integration/worker/test_child_limits.py::test_a_child_without_progress_is_ended_by_the_watchdog",
        ),
    ),
    Trace(
        23,
        "an attempt is not counted when it begins",
        (Edit("domain/lifecycle.py", "        attempts=job.attempts + 1,\n", ""),),
        (Pair("released", "succeeds", "sweep"), Pair("last try and stale", "holder succeeds", "sweep")),
    ),
]

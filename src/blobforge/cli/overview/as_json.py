"""The same facts for programs: the stable forms of `dashboard --json`, `watch --json` and `workers --json`."""

from dataclasses import asdict

from blobforge.cli.jobs import job_json
from blobforge.cli.overview.facts import Overview, SeenWorker, Totals
from blobforge.domain.job import State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.pause import Pause
from blobforge.domain.worker_report import Metrics, report_json


def overview_json(overview: Overview) -> JsonObject:
    types = sorted({kind for kind, _ in overview.counts})
    left = overview.time_left
    return {
        "project": overview.project,
        "now": overview.now.isoformat(),
        "counts": {kind: {state.value: overview.counts.get((kind, state), 0) for state in State} for kind in types},
        "paused": [pause_json(pause) for pause in overview.pauses],
        "gaps": dict(overview.gaps),
        "doubts": dict(overview.doubts),
        "workers": [worker_json(worker) for worker in overview.workers],
        "totals": totals_json(overview.totals),
        "seconds_left": None if left is None else round(left.total_seconds()),
        "failures": [job_json(job) for job in overview.failures],
    }


def pause_json(pause: Pause) -> JsonObject:
    return {"project": pause.project, "type": pause.type, "since": pause.since.isoformat(), "by": pause.by}


def worker_json(worker: SeenWorker) -> JsonObject:
    report = report_json(worker.report)
    return {
        "id": worker.id,
        "type": worker.type,
        "status": worker.status.value,
        "standing": worker.standing.value,
        "last_heartbeat": worker.last_heartbeat.isoformat(),
        **report,
    }


def metrics_json(metrics: Metrics) -> JsonObject:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(metrics).items()}


def totals_json(totals: Totals) -> JsonObject:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(totals).items()}

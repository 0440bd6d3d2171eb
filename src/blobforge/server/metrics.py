"""What the server counts of itself, for Prometheus; each application has a registry of its own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from blobforge.domain.errors import BlobForgeError, LeaseLost
from blobforge.domain.job import Job
from blobforge.ports.queue_backend import QueueDepth

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
"""Requests that wait may take a minute."""


class ServerMetrics:
    """Threads share it."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "blobforge_http_requests",
            "Requests that were answered, by the template of their route",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "blobforge_http_request_seconds",
            "How long requests took, waiting included",
            ["route"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._claims = Counter("blobforge_claims", "Jobs that were claimed", ["type"], registry=self._registry)
        self._losses = Counter(
            "blobforge_lease_losses",
            "Renewals and endings by a worker that has lost its lease",
            registry=self._registry,
        )
        self._uploads = Counter("blobforge_uploads", "Files that the server itself took", registry=self._registry)
        self._bytes = Counter("blobforge_upload_bytes", "Their bytes", registry=self._registry)
        self._store = Counter(
            "blobforge_store_requests",
            "What the server asked of the store, by how it ended: ok, absent, refused, unavailable, error",
            ["operation", "outcome"],
            registry=self._registry,
        )
        self._store_seconds = Histogram(
            "blobforge_store_request_seconds",
            "How long the store took, tries after an outage included",
            ["operation"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self._waiting = Gauge(
            "blobforge_waiting_requests", "Requests that wait for jobs or news", registry=self._registry
        )
        self._depths = _Depths()
        self._registry.register(self._depths)

    def answered(self, *, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def claimed(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            self._claims.labels(job.type).inc()

    def ended(self, outcomes: Iterable[Job | BlobForgeError]) -> None:
        if losses := sum(isinstance(outcome, LeaseLost) for outcome in outcomes):
            self._losses.inc(losses)

    def uploaded(self, size: int) -> None:
        self._uploads.inc()
        self._bytes.inc(size)

    def stored(self, operation: str, outcome: str, seconds: float) -> None:
        self._store.labels(operation, outcome).inc()
        self._store_seconds.labels(operation).observe(seconds)

    def count_waiting(self, count: Callable[[], int]) -> None:
        """Asked whenever the figures are."""
        self._waiting.set_function(count)

    def keep_depths(self, depths: Sequence[QueueDepth], *, now: datetime) -> None:
        self._depths.keep(depths, now=now)

    def text(self) -> bytes:
        """In the format that Prometheus reads."""
        return generate_latest(self._registry)


class _Depths:
    """What is ready, as the queue said last; a type and priority of which nothing is ready any more has no figure."""

    def __init__(self) -> None:
        self._kept: list[tuple[QueueDepth, float]] = []

    def keep(self, depths: Sequence[QueueDepth], *, now: datetime) -> None:
        self._kept = [(depth, max((now - depth.oldest).total_seconds(), 0.0)) for depth in depths]

    def collect(self) -> Iterator[Metric]:
        ready = GaugeMetricFamily("blobforge_jobs_ready", "Jobs that wait for a worker", labels=["type", "priority"])
        oldest = GaugeMetricFamily(
            "blobforge_oldest_ready_job_seconds", "How long the oldest of them has waited", labels=["type", "priority"]
        )
        for depth, age in self._kept:
            labels = [depth.type, str(depth.priority)]
            ready.add_metric(labels, depth.jobs)
            oldest.add_metric(labels, age)
        yield ready
        yield oldest

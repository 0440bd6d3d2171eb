"""What a server asks of its store, as Prometheus reads it: over a folder and over a bucket."""

import shutil
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.http_server import served
from tests.seaweed import Seaweed
from tests.server_parts import bucket_of, files_in, metered, parts_over, store_in
from tests.server_scene import document, hash_of

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.uploads import PART_SIZE
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.server.app import create_app
from blobforge.server.metered_store import Meter
from blobforge.server.metrics import ServerMetrics
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import FakeClock

Figures = dict[tuple[str, str], float]


@pytest.fixture(params=["folder", "bucket"])
def http(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[httpx2.Client]:
    with ExitStack() as stack:
        if request.param == "folder":
            store = store_in(tmp_path)
        else:
            seaweed: Seaweed = request.getfixturevalue("seaweed")
            place = Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access)
            store = bucket_of(stack.enter_context(closing(ObjectStore(place))))
        clock, metrics = FakeClock(), ServerMetrics()
        service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=LEASE)
        files = files_in(tmp_path, clock, service, store=metered(store, metrics))
        parts = replace(parts_over(service, clock, files), metrics=metrics)
        url = stack.enter_context(served(create_app(parts, ticks=False)))
        files.own_urls._public_url = url
        yield stack.enter_context(httpx2.Client(base_url=url, timeout=30))


def scraped(http: httpx2.Client) -> Figures:
    return {
        (sample.labels["operation"], sample.labels["outcome"]): sample.value
        for family in text_string_to_metric_families(http.get("/metrics").text)
        for sample in family.samples
        if sample.name == "blobforge_store_requests_total"
    }


def brought(http: httpx2.Client, name: str) -> None:
    message = {"source_hash": hash_of(name), "source_size": len(document(name))}
    created = http.post("/api/jobs", json=message).json()
    assert http.put(created["upload_url"], content=document(name)).is_success
    http.post(f"/api/jobs/{created['job_id']}/uploaded")


def test_requests_are_counted_by_operation_and_outcome(http: httpx2.Client) -> None:
    brought(http, "a")
    assert http.post("/api/queue/source-placed", json={"source_hash": hash_of("b"), "upload": "0" * 16}).is_error
    large = {"source_hash": hash_of("b"), "size": PART_SIZE + 1}
    assert http.post("/api/queue/source-parts", json=large).is_success
    gone = {"source_hash": hash_of("c"), "upload": "0" * 16, "size": PART_SIZE + 1}
    assert http.post("/api/queue/source-placed", json=gone).status_code == 404

    found = scraped(http)

    assert {("copy", "ok"), ("open", "ok"), ("stat", "ok"), ("list", "ok"), ("delete", "ok")} <= found.keys()
    assert found["copy", "ok"] == 2
    assert found["begin_parts", "ok"] == 1
    assert "blobforge_store_request_seconds_bucket" in http.get("/metrics").text


def test_there_are_no_more_labels_for_more_documents(http: httpx2.Client) -> None:
    brought(http, "a")
    before = scraped(http).keys()

    for name in "bcd":
        brought(http, name)

    assert scraped(http).keys() == before


@pytest.mark.parametrize("http", ["folder"], indirect=True)
def test_a_store_that_is_away_is_an_outcome_of_its_own(http: httpx2.Client, tmp_path: Path) -> None:
    brought(http, "a")
    shutil.rmtree(tmp_path / "store")

    assert http.get("/readyz").status_code == 503

    assert scraped(http)["stat", "unavailable"] == 1


def test_a_listing_that_is_not_read_to_its_end_is_one_request_and_no_error() -> None:
    heard: list[tuple[str, str]] = []
    meter = Meter(lambda operation, outcome, _: heard.append((operation, outcome)))
    listing = meter.each("list", iter("abc"))
    assert next(listing) == "a"

    # As Python does with what nobody holds any more.
    del listing

    assert heard == [("list", "ok")]


def test_the_time_of_a_listing_is_that_of_the_store_alone() -> None:
    """Each look at the clock is a second later than the one before."""
    seconds = iter(range(100))
    heard: list[float] = []
    meter = Meter(lambda *said: heard.append(said[2]), lambda: float(next(seconds)))

    for _ in meter.each("list", iter("abc")):
        next(seconds)

    assert heard == [4.0]

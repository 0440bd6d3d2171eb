"""Every command on a queue in a bucket, one sentence each: nothing changes for people but a setting."""

import json
import signal
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit
from zipfile import ZipFile

import pytest
from click.testing import Result
from tests.e2e.bucket_queue import reached_by
from tests.e2e.program import Blobforge, ended
from tests.pdfs import text_pdf
from tests.seaweed import Seaweed

CONVERTED = ("good", "other", "again")
WAITING = ("urgent", "unwanted", "patient")


class Library:
    """Some documents are converted, one is dead, and some wait."""

    def __init__(self, folder: Path, seaweed: Seaweed) -> None:
        self.blobforge = Blobforge(folder, folder / "home")
        self.docs = folder / "docs"
        self.docs.mkdir()
        self.prefix = f"{token_hex(6)}/"
        self._seaweed = seaweed
        # Of its own, so that whatever else is found in it was written by the commands of these tests.
        self._bucket = f"library-{token_hex(6)}"
        seaweed.client().create_bucket(Bucket=self._bucket)
        self.environment = reached_by(seaweed.access, self._bucket, self.prefix)
        self.ingested = self._ingest(*CONVERTED)
        (self.docs / "broken.pdf").write_bytes(b"%PDF-1.7\nbroken")
        self.told("ingest", "docs")
        self.manifest_before_work = self.facts("registry/manifest.json")
        self.worked = json.loads(self.blobforge.run("worker", "--drain", "--json", **self.environment).stdout)
        self.manifest_after_work = self.facts("registry/manifest.json")
        self._ingest(*WAITING)

    def _ingest(self, *names: str) -> dict[str, Any]:
        for name in names:
            text_pdf(self.docs / f"{name}.pdf", f"The page of {name}")
        return self.told("ingest", "docs", "--tag", "rules")

    def call(self, *args: str) -> Result:
        done = self.blobforge.call(*args, **self.environment)
        assert done.exit_code == 0, done.output
        return done

    def told(self, *args: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.call(*args, "--json").stdout)
        return document

    def hash(self, name: str) -> str:
        return sha256((self.docs / f"{name}.pdf").read_bytes()).hexdigest()

    def state(self, name: str) -> str:
        return str(self.told("status", self.hash(name))["job"]["state"])

    def body(self, name: str) -> dict[str, Any]:
        """A small object of the queue, as other programs read it."""
        stored = self._seaweed.client().get_object(Bucket=self._bucket, Key=self.prefix + name)
        document: dict[str, Any] = json.loads(stored["Body"].read())
        return document

    def names(self) -> list[str]:
        return sorted(key.removeprefix(self.prefix) for key in self.keys() if key.startswith(self.prefix))

    def keys(self) -> set[str]:
        """All that is in the bucket, whatever prefix it is below."""
        pages = self._seaweed.client().get_paginator("list_objects_v2").paginate(Bucket=self._bucket)
        return {entry["Key"] for page in pages for entry in page.get("Contents", ())}

    def facts(self, name: str) -> dict[str, Any]:
        """When an object was written, its bytes by their ETag, and what was written about it."""
        head = self._seaweed.client().head_object(Bucket=self._bucket, Key=self.prefix + name)
        return {fact: head[fact] for fact in ("LastModified", "ETag", "Metadata")}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, seaweed: Seaweed) -> Iterator[Library]:
    library = Library(tmp_path_factory.mktemp("library"), seaweed)
    yield library
    library.blobforge.close()


def test_ingest_and_worker_bring_documents_from_a_folder_to_results(library: Library) -> None:
    """R0-12, R0-14, R0-15, R0-16."""
    assert library.ingested["queued"] == 3
    assert library.worked == {
        "completed": 3,
        "failed": 1,
        "released": 0,
        "lost": 0,
        "cancelled": 0,
        "gaps": 0,
        "doubts": 0,
    }


WITNESS = """
import os, sys

def witness(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        address = args[:2] if event == "socket.getaddrinfo" else args[1]
        if not isinstance(address, (str, bytes)):  # a Unix socket leaves no machine
            with open(os.environ["WITNESSED"], "a") as file:
                file.write(f"{address[0]}:{address[1]}\\n")

sys.addaudithook(witness)
"""
"""Notes every other machine that a process asks for something, from its first moment on."""


def test_who_ingests_and_who_works_speaks_to_the_store_and_to_nobody_else(tmp_path: Path, seaweed: Seaweed) -> None:
    """R0-12."""
    (tmp_path / "witness").mkdir()
    (tmp_path / "witness" / "sitecustomize.py").write_text(WITNESS)
    blobforge = Blobforge(tmp_path, tmp_path / "home")
    text_pdf(tmp_path / "one.pdf")
    environment = {
        **reached_by(seaweed.access, seaweed.bucket, f"{token_hex(6)}/"),
        "PYTHONPATH": str(tmp_path / "witness"),
    }

    spoken_to = []
    for command in (["ingest", "one.pdf"], ["worker", "--drain", "--json"]):
        witnessed = tmp_path / command[0]
        done = blobforge.run(*command, **environment, WITNESSED=str(witnessed))
        assert done.returncode == 0, done.stderr
        spoken_to.append(set(witnessed.read_text().split()))

    store = urlsplit(seaweed.access.endpoint_url or "").netloc
    assert spoken_to == [{store}, {store}]


def test_a_worker_leaves_the_manifest_as_it_is(library: Library) -> None:
    """R0-26."""
    assert library.manifest_after_work == library.manifest_before_work


def test_objects_lie_where_other_programs_look_for_them(library: Library) -> None:
    """R0-1, R0-3, R0-5, R0-9, R0-10."""
    good, broken, patient = map(library.hash, ("good", "broken", "patient"))

    names = library.names()
    waiting = library.body(f"queue/todo/3_normal/{patient}")
    dead = library.body(f"queue/dead/{broken}")

    assert {f"store/raw/{good}.pdf", f"store/out/{good}.zip", "registry/manifest.json"} <= set(names)
    assert not [name for name in names if good in name and name.startswith("queue/")]
    assert (waiting["retries"], "queued_at" in waiting) == (0, True)
    assert dead["total_retries"] == 1
    assert "damaged" in dead["error"]


def test_a_source_says_what_it_is_and_is_written_once(library: Library) -> None:
    """R0-2, R0-38."""
    raw = f"store/raw/{library.hash('good')}.pdf"
    written = library.facts(raw)

    library.told("ingest", "docs", "--tag", "more")

    assert library.facts(raw) == written
    size = (library.docs / "good.pdf").stat().st_size
    assert written["Metadata"] == {"original-name": "good.pdf", "tags": '["rules"]', "size": str(size)}


def test_status_tells_of_one_document_and_of_all(library: Library) -> None:
    """R0-68."""
    counts = library.told("status")["counts"]["pdf"]
    one = library.told("status", library.hash("good")[:8])

    assert counts["completed"] >= 2
    assert [event["kind"] for event in one["events"]] == ["submitted", "claimed", "completed"]
    assert {record["role"] for record in one["files"]} == {"source", "output"}


def test_list_shows_jobs_by_state(library: Library) -> None:
    """R0-69."""
    (dead,) = library.told("list", "--state", "dead")["jobs"]

    assert Path(dead["source_path"]).name == "broken.pdf"
    assert "good.pdf" in library.call("list").stdout


def test_dashboard_watch_and_workers_show_the_queue(library: Library) -> None:
    """R0-73."""
    board = library.told("dashboard")
    watching = library.blobforge.start(
        "watch", "--json", "--interval", "0.2", before=(), ignoring=(), **library.environment
    )
    assert watching.stdout is not None
    first = json.loads(watching.stdout.readline())
    watching.send_signal(signal.SIGINT)

    assert board["counts"]["pdf"] == first["counts"]["pdf"]
    assert ended(watching).returncode == 0
    assert library.told("workers")["workers"] == []


def test_why_says_what_a_job_waits_for(library: Library) -> None:
    assert "no worker serves the type 'pdf'" in library.call("why", library.hash("patient")).stdout
    assert "given up" in library.call("why", library.hash("broken")).stdout


def test_logs_show_what_went_wrong(library: Library) -> None:
    told = library.call("logs", library.hash("broken")).stdout

    assert "[damaged_pdf]" in told
    assert "Traceback" in told


def test_reprioritize_moves_a_waiting_job_to_another_tier(library: Library) -> None:
    """R0-70."""
    library.call("reprioritize", library.hash("urgent"), "critical")

    first = library.told("worker", "--dry-run")["jobs"][0]
    assert first["source_hash"] == library.hash("urgent")
    assert [name for name in library.names() if library.hash("urgent") in name and "queue/todo/" in name] == [
        f"queue/todo/1_critical/{library.hash('urgent')}"
    ]


def test_cancel_takes_a_job_out_of_the_queue(library: Library) -> None:
    library.call("cancel", library.hash("unwanted"))

    assert library.state("unwanted") == "cancelled"


def test_retry_runs_a_completed_job_again(library: Library) -> None:
    """R0-71."""
    library.call("retry", library.hash("again"), "--priority", "low")

    assert library.state("again") == "pending"
    assert library.body(f"queue/todo/4_low/{library.hash('again')}")["generation"] == 2


def test_dead_jobs_are_retried_by_people_alone_and_cleared_for_good(library: Library) -> None:
    """R0-19, R0-20, R0-58."""
    library.call("janitor")
    assert library.state("broken") == "dead"

    retried = library.told("retry-all", "--dead")
    assert library.state("broken") == "pending"
    library.call("reprioritize", library.hash("broken"), "critical")
    library.call("reprioritize", library.hash("urgent"), "high")
    library.blobforge.call("worker", "--run-once", **library.environment)
    cleared = library.told("clear-dead", "--yes")

    assert (retried["retried"], retried["by_code"]) == (1, {"damaged_pdf": 1})
    assert (cleared["cleared"], cleared["by_code"]) == (1, {"damaged_pdf": 1})
    assert library.told("list", "--state", "dead")["jobs"] == []


def test_search_queue_finds_jobs_and_search_finds_documents(library: Library) -> None:
    """R0-27, R0-74."""
    (job,) = library.told("search-queue", "patient")["jobs"]
    found = library.told("search", "patient")["documents"]

    assert job["source_hash"] == library.hash("patient")
    assert [entry["source_hash"] for entry in found] == [library.hash("patient")]


def test_lookup_and_manifest_tell_of_the_library(library: Library) -> None:
    """R0-75, R0-76, R0-77."""
    by_hash = library.told("lookup", "--hash", library.hash("good"))
    by_path = library.told("lookup", "--path", "good.pdf")

    assert by_hash == by_path
    assert library.told("manifest")["documents"] == 7


def test_download_and_preview_fetch_a_result(library: Library) -> None:
    """R0-49, R0-51."""
    library.call("download", library.hash("good"))

    with ZipFile(library.blobforge.cwd / "good.zip") as archive:
        assert {"document.md", "info.json"} <= set(archive.namelist())
        assert "The page of good" in archive.read("document.md").decode()
    assert "The page of good" in library.call("preview", library.hash("good")).stdout


def test_a_result_tells_what_it_was_made_of_and_how(library: Library) -> None:
    """R0-50."""
    library.call("download", library.hash("other"))
    source = library.docs / "other.pdf"

    with ZipFile(library.blobforge.cwd / "other.zip") as archive:
        told = json.loads(archive.read("info.json"))

    assert told["source"] == {"name": "other.pdf", "sha256": library.hash("other"), "size": source.stat().st_size}
    recipe = told["recipe"]
    assert (recipe["processor"], recipe["engine"]) == ("pdf_markdown", "blobforge")
    assert recipe["engine_version"].endswith(f"on pdf-oxide {version('pdf-oxide')}")
    assert recipe["options"]["ocr"] == "auto"
    assert told["recipe_id"] == library.told("status", library.hash("other"))["job"]["result"]["recipe"]
    assert [(page["page"], page["outcome"]) for page in told["pages"]] == [(1, "text")]


def test_hydrate_writes_results_beside_their_sources(library: Library) -> None:
    library.call("hydrate", "docs/other.pdf")

    assert (library.docs / "other.md").is_file()


def test_plan_says_what_other_options_would_redo(library: Library) -> None:
    assert library.told("plan")["redo"]["documents"] == 0


def test_gc_keeps_what_jobs_need(library: Library) -> None:
    found = library.told("gc", "--dry-run", "--older-than", "0")

    assert [entry for entry in found["blobs"] if library.hash("good") in entry["key"]] == []


def test_doctor_finds_nothing_wrong_with_the_bucket(library: Library) -> None:
    """R0-11."""
    findings = {finding["name"]: finding["verdict"] for finding in library.told("doctor")["findings"]}

    assert {findings[name] for name in ("bucket", "bucket format", "queue", "store")} == {"ok"}


def test_convert_takes_what_the_bucket_has(library: Library) -> None:
    run = library.blobforge.convert("docs/good.pdf", "-o", "out", **library.environment)

    assert run.outcomes == {"good.pdf": "cached"}
    assert (library.blobforge.cwd / "out" / "good.md").is_file()


def test_janitor_says_that_everything_is_in_order(library: Library) -> None:
    """R0-57, R0-72."""
    dry, real = library.call("janitor", "--dry-run"), library.call("janitor")

    assert dry.stderr == real.stderr == "everything is in order\n"


def test_nothing_of_all_this_lies_outside_of_the_prefix(library: Library) -> None:
    """R0-4, R2-1: whatever ran before this in the module, and the ingest and the worker at least."""
    written = library.keys()

    assert {name.partition("/")[0] for name in library.names()} == {"queue", "registry", "store"}
    assert {key for key in written if not key.startswith(library.prefix)} == set()

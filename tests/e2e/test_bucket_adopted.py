"""A bucket that another program wrote, taken over: nothing in it is lost, and all of it can be addressed."""

import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.document_000 import STATES, foreign_objects, hash_of, old_zip
from tests.e2e.program import Blobforge
from tests.e2e.results import told
from tests.pdfs import text_pdf
from tests.seaweed import Seaweed


class AdoptedBucket:
    """The documents of the five states, each a PDF of its own, and what BlobForge says of them."""

    def __init__(self, blobforge: Blobforge, seaweed: Seaweed, docs: Path) -> None:
        self._blobforge = blobforge
        self._seaweed = seaweed
        self._client = seaweed.client()
        self._prefix = uuid.uuid4().hex
        self.env = {"BLOBFORGE_QUEUE": f"s3://{seaweed.bucket}/{self._prefix}", **seaweed.variables}
        self.contents = {
            state: text_pdf(docs / f"{state}.pdf", f"The {state} one").read_bytes()
            for state in (*STATES, "only_stored")
        }
        for made in foreign_objects(**self.contents):
            self.put(made.name, made.body, made.metadata)
        for path in docs.iterdir():
            path.unlink()

    def put(self, name: str, body: bytes, metadata: Mapping[str, str] | None = None) -> None:
        self._client.put_object(
            Bucket=self._seaweed.bucket, Key=f"{self._prefix}/{name}", Body=body, Metadata=dict(metadata or {})
        )

    def sources(self) -> set[str]:
        listed = self._client.list_objects_v2(Bucket=self._seaweed.bucket, Prefix=f"{self._prefix}/store/raw/")
        return {entry["Key"].rpartition("/")[2].removesuffix(".pdf") for entry in listed.get("Contents", [])}

    def hash(self, state: str) -> str:
        return hash_of(self.contents[state])

    def told(self, *args: str) -> dict[str, Any]:
        return told(self._blobforge, *args, **self.env)

    def call(self, *args: str) -> str:
        done = self._blobforge.call(*args, **self.env)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    def work(self) -> None:
        self._blobforge.call("worker", "--drain", **self.env)


@pytest.fixture
def adopted(blobforge: Blobforge, seaweed: Seaweed, docs: Path) -> AdoptedBucket:
    bucket = AdoptedBucket(blobforge, seaweed, docs)
    bucket.call("doctor", "--adopt")
    return bucket


def test_gc_deletes_no_source_of_a_bucket_that_was_taken_over(adopted: AdoptedBucket, docs: Path) -> None:
    text_pdf(docs / "one.pdf", "One more")
    adopted.call("ingest", "docs")
    adopted.put(f"store/raw/{'0' * 64}.pdf", b"of nobody")

    cleared = adopted.told("gc", "--older-than", "0", "--yes")

    assert [blob["key"] for blob in cleared["blobs"]] == [f"sources/{'0' * 64}.pdf"]
    assert {hash_of(content) for content in adopted.contents.values()} < adopted.sources()
    adopted.call("retry", adopted.hash("dead"))
    adopted.work()
    states = {job["source_path"]: job["state"] for job in adopted.told("list")["jobs"]}
    assert set(states.values()) == {"completed"}
    assert len(states) == 6


def test_jobs_of_a_bucket_that_was_taken_over_are_listed_shown_and_fetched(
    adopted: AdoptedBucket, blobforge: Blobforge
) -> None:
    """R0-20, R0-68, R0-69, R0-71, R2-24."""
    listed = {job["source_hash"]: job for job in adopted.told("list")["jobs"]}
    done, dead = listed[adopted.hash("done")], listed[adopted.hash("dead")]

    by_hash = adopted.told("status", adopted.hash("dead"))["job"]
    by_id = adopted.told("status", f"#{dead['id']}")["job"]
    adopted.call("download", f"#{done['id']}")
    shown = adopted.call("preview", done["source_hash"])

    assert set(listed) == {adopted.hash(state) for state in STATES}
    assert {Path(job["source_path"]).name for job in listed.values()} == {f"{state}.pdf" for state in STATES}
    assert all(job["created_at"] >= "2026" for job in listed.values())
    assert by_hash == by_id == dead
    assert (blobforge.cwd / "done.zip").read_bytes() == old_zip()
    assert "PublishedJob long ago" in shown


def test_what_the_other_program_wrote_down_of_an_error_is_shown(adopted: AdoptedBucket) -> None:
    """R0-58, R2-21, R2-22."""
    dead, failed = adopted.hash("dead"), adopted.hash("failed")
    note = {
        "error": "big boom",
        "traceback": "Traceback (most recent call last):\n  boom",
        "context": {"stage": "convert", "filename": "dead.pdf"},
        "worker": "old-host",
        "timestamp": "2026-02-01T09:00:00Z",
    }
    adopted.put(f"registry/logs/{dead}/error.json", json.dumps(note).encode())

    (noted,), (of_marker,) = adopted.told("logs", dead)["attempts"], adopted.told("logs", failed)["attempts"]

    assert (noted["lease"], noted["time"], noted["outcome"]) == (0, "2026-02-01T09:00:00+00:00", "died")
    assert (noted["message"], noted["worker"], noted["stage"]) == ("big boom", "old-host", "convert")
    assert noted["traceback"] == note["traceback"]
    assert (of_marker["message"], of_marker["outcome"]) == ("it fell over", "failed")
    assert "the last error, 2026-02-01 09:00:00 UTC, by worker old-host: the job failed for good" in adopted.call(
        "logs", dead
    )


def test_gc_deletes_nothing_where_it_does_not_understand_all(adopted: AdoptedBucket, blobforge: Blobforge) -> None:
    paused = f"queue/paused/{'0' * 64}"
    adopted.put(paused, b"{}")
    adopted.put(f"store/raw/{'0' * 64}.pdf", b"of a job that another program has paused")

    refused = blobforge.call("gc", "--older-than", "0", "--yes", **adopted.env)

    assert refused.exit_code == 1
    assert paused in refused.stderr
    assert "move it out of the prefix of the queue" in refused.stderr
    assert "0" * 64 in adopted.sources()


def test_a_queue_of_an_older_program_at_the_root_of_the_bucket_is_named_to_who_looks_below_it(
    blobforge: Blobforge, seaweed: Seaweed
) -> None:
    bucket = f"root-{uuid.uuid4().hex}"
    seaweed.client().create_bucket(Bucket=bucket)
    for made in foreign_objects(**{state: state.encode() for state in STATES}, only_stored=b"only_stored"):
        seaweed.client().put_object(Bucket=bucket, Key=made.name, Body=made.body, Metadata=dict(made.metadata or {}))
    env = {"BLOBFORGE_S3_BUCKET": bucket, **seaweed.variables}

    looked = blobforge.call("doctor", **env)
    missed = blobforge.call("doctor", "--adopt", **env)
    taken = blobforge.call("doctor", "--adopt", "--yes", BLOBFORGE_S3_PREFIX="/", **env)

    for shown in (looked, missed):
        assert "BLOBFORGE_S3_PREFIX=/" in " ".join(shown.stdout.split()), shown.output
    assert "Its jobs: none" in missed.output
    assert "Its jobs: 2 pending, 1 completed" in taken.output

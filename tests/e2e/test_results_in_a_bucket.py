"""The same commands where the queue itself is in a bucket, and results are published by it."""

import uuid
import zipfile
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.e2e.results import told
from tests.pdfs import text_pdf
from tests.seaweed import Seaweed


@pytest.fixture
def bucket(seaweed: Seaweed) -> dict[str, str]:
    return {"BLOBFORGE_QUEUE": f"s3://{seaweed.bucket}/{uuid.uuid4().hex}", **seaweed.variables}


@pytest.mark.parametrize("project", ["default", "books"])
def test_results_are_fetched_shown_hydrated_planned_and_cleared(
    blobforge: Blobforge, docs: Path, bucket: dict[str, str], project: str
) -> None:
    """R2-24, R2-25. In every project alike."""
    bucket = {**bucket, "BLOBFORGE_PROJECT": project}
    text_pdf(docs / "one.pdf", "One", "Two")
    (docs / "bad.pdf").write_text("<html>")
    blobforge.call("submit", "docs", **bucket)
    blobforge.call("worker", "--drain", **bucket)
    (job,) = told(blobforge, "list", "--state", "completed", **bucket)["jobs"]
    name = job["source_hash"][:12]

    fetched = blobforge.call("download", name, **bucket)
    shown = blobforge.call("preview", name, "--pages", "1", **bucket)
    hydrated = told(blobforge, "hydrate", "docs", **bucket)
    unneeded = told(blobforge, "gc", "--older-than", "0", **bucket)
    blobforge.convert("docs/one.pdf", "-o", "out", "--read-pictures", **bucket)
    plan = told(blobforge, "plan", **bucket)
    cleared = told(blobforge, "gc", "--older-than", "0", "--yes", **bucket)

    assert fetched.exit_code == 0, fetched.stderr
    assert zipfile.is_zipfile(blobforge.cwd / "one.zip")
    assert shown.stdout.startswith("One\n═══\n")
    assert (hydrated["written"], hydrated["states"]) == (1, {"dead": 1})
    assert unneeded["count"] == 0
    assert (plan["kept"]["documents"], plan["uncompleted"]) == (1, 1)
    assert [(blob["kind"], blob["key"]) for blob in cleared["blobs"]] == [("results", job["result"]["key"])]
    assert blobforge.call("download", name, "--force", **bucket).exit_code == 0


@pytest.mark.parametrize("job_type", ["echo", "lab_report"])
def test_results_of_other_types_are_fetched_too(
    blobforge: Blobforge, docs: Path, bucket: dict[str, str], job_type: str
) -> None:
    """R1-102, R2-24."""
    text_pdf(docs / "one.pdf", "One")
    blobforge.call("submit", "docs", "--type", job_type, **bucket)
    blobforge.call("worker", "--type", job_type, "--drain", **bucket)
    (job,) = told(blobforge, "list", **bucket)["jobs"]

    fetched = blobforge.call("download", job["source_hash"], **bucket)

    assert job["state"] == "completed", job["last_error"]
    assert fetched.exit_code == 0, fetched.stderr
    with zipfile.ZipFile(blobforge.cwd / "one.zip") as archive:
        assert archive.testzip() is None
        assert "info.json" in archive.namelist()

"""Sources and results in a bucket: workers need nothing else in common but the queue."""

import json
import uuid
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.pdfs import text_pdf
from tests.seaweed import Seaweed


@pytest.fixture
def bucket(seaweed: Seaweed) -> dict[str, str]:
    return {"BLOBFORGE_STORE": f"s3://{seaweed.bucket}/{uuid.uuid4().hex}", **seaweed.variables}


def test_documents_go_through_the_bucket(blobforge: Blobforge, docs: Path, out: Path, bucket: dict[str, str]) -> None:
    text_pdf(docs / "one.pdf", "One", "Two")
    assert blobforge.call("submit", "docs", **bucket).exit_code == 0
    (docs / "one.pdf").rename(docs / "moved.pdf")

    worked = blobforge.run("worker", "--drain", "--json", **bucket)
    again = blobforge.convert("docs", "-o", "out", **bucket)
    checked = json.loads(blobforge.call("doctor", "--json", **bucket).stdout)

    assert json.loads(worked.stdout)["completed"] == 1
    assert again.outcomes == {"moved.pdf": "cached"}
    assert (out / "moved.md").read_text().strip()
    assert [finding["verdict"] for finding in checked["findings"] if finding["name"] == "store"] == ["ok"]
    assert not (blobforge.home / "blobs").exists()


def test_convert_alone_may_keep_its_results_in_a_bucket(
    blobforge: Blobforge, docs: Path, bucket: dict[str, str]
) -> None:
    for number in range(4):
        text_pdf(docs / f"{number}.pdf", f"Page of {number}")

    first = blobforge.convert("docs", "-o", "out", **bucket)
    second = blobforge.convert("docs", "-o", "another", **bucket)

    assert set(first.outcomes.values()) == {"converted"}
    assert set(second.outcomes.values()) == {"cached"}


def test_a_secret_is_in_nothing_that_is_told(blobforge: Blobforge, bucket: dict[str, str]) -> None:
    away = {**bucket, "BLOBFORGE_S3_SECRET_ACCESS_KEY": "very-secret", "BLOBFORGE_S3_ACCESS_KEY_ID": "its-name"}

    for command in (["config", "show"], ["config", "show", "--json"], ["doctor"], ["config", "check"]):
        told = blobforge.call(*command, **away).output
        assert "very-secret" not in told
        assert "its-name" not in told


def test_results_are_fetched_shown_hydrated_and_cleared_from_the_bucket(
    blobforge: Blobforge, docs: Path, bucket: dict[str, str]
) -> None:
    """R2-24, R2-25."""
    text_pdf(docs / "one.pdf", "One", "Two")
    blobforge.call("submit", "docs", **bucket)
    blobforge.call("worker", "--drain", **bucket)

    fetched = blobforge.call("download", "#1", **bucket)
    shown = blobforge.call("preview", "#1", "--pages", "1", **bucket)
    hydrated = json.loads(blobforge.call("hydrate", "docs", "--json", **bucket).stdout)
    blobforge.convert("docs", "-o", "out", "--read-pictures", **bucket)
    plan = json.loads(blobforge.call("plan", "--json", **bucket).stdout)
    cleared = json.loads(blobforge.call("gc", "--yes", "--older-than", "0", "--json", **bucket).stdout)

    assert (fetched.exit_code, (blobforge.cwd / "one.zip").is_file()) == (0, True)
    assert shown.stdout.startswith("One\n═══\n")
    assert hydrated["written"] == 1
    assert plan["kept"]["documents"] == 1
    assert (cleared["kinds"]["results"]["count"], cleared["count"]) == (1, 1)

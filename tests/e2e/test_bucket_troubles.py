"""Real processes on a bucket that fails them, and what `doctor` says to people."""

import json
import uuid
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, ended, until
from tests.e2e.terminal import Terminal
from tests.faulty_s3 import Fault, FaultyS3
from tests.pdfs import text_pdf
from tests.seaweed import Seaweed, variables_for


@pytest.fixture
def prefix() -> str:
    return f"{uuid.uuid4().hex}/"


@pytest.fixture
def bucket(seaweed: Seaweed, faulty_s3: FaultyS3, prefix: str) -> dict[str, str]:
    """As the store of a queue that is elsewhere."""
    return {"BLOBFORGE_STORE": f"s3://{seaweed.bucket}/{prefix}", **variables_for(faulty_s3.access)}


def test_a_worker_converts_everything_while_a_third_of_all_requests_fail(
    blobforge: Blobforge, docs: Path, bucket: dict[str, str], faulty_s3: FaultyS3, prefix: str
) -> None:
    for number in range(4):
        text_pdf(docs / f"{number}.pdf", f"Page of {number}")

    with (
        faulty_s3.fault(Fault.BUSY, path=prefix, share=0.15),
        faulty_s3.fault(Fault.LOST_REPLY, path=prefix, share=0.1),
        faulty_s3.fault(Fault.CUT_REPLY, path=prefix, method="GET", share=0.1),
    ):
        assert blobforge.call("submit", "docs", **bucket).exit_code == 0
        worked = blobforge.run("worker", "--drain", "--json", **bucket)
        again = blobforge.convert("docs", "-o", "out", **bucket)

    assert json.loads(worked.stdout)["completed"] == 4
    assert set(again.outcomes.values()) == {"cached"}
    assert {seen.status for seen in faulty_s3.seen if prefix in seen.path} >= {0, 503}


def test_a_worker_goes_on_when_the_bucket_comes_back(
    blobforge: Blobforge, docs: Path, bucket: dict[str, str], faulty_s3: FaultyS3, prefix: str
) -> None:
    text_pdf(docs / "one.pdf", "One")
    assert blobforge.call("submit", "docs", **bucket).exit_code == 0
    faulty_s3.seen.clear()

    with faulty_s3.fault(Fault.REFUSED, path=prefix):
        worker = blobforge.start("worker", "--drain", "--json", before=(), ignoring=(), **bucket)
        until(lambda: sum(prefix in seen.path for seen in faulty_s3.seen) >= 2)
    worked = ended(worker)

    assert json.loads(worked.stdout)["completed"] == 1


@pytest.mark.parametrize("columns", [80, pytest.param(200, marks=pytest.mark.extended)])
def test_doctor_tells_of_an_older_queue_and_takes_it_over(
    blobforge: Blobforge, seaweed: Seaweed, prefix: str, columns: int
) -> None:
    key = f"{prefix}queue/todo/3_normal/{'ab' * 32}"
    client = seaweed.client()
    client.put_object(Bucket=seaweed.bucket, Key=key, Body=b'{"retries": 0}')
    client.close()
    env = {
        "BLOBFORGE_S3_BUCKET": seaweed.bucket,
        "BLOBFORGE_S3_PREFIX": prefix,
        "NO_COLOR": "1",
        **variables_for(seaweed.access),
    }

    before = Terminal(blobforge, "doctor", env=env, columns=columns)
    exit_code = before.wait_for_end()
    after = blobforge.call("doctor", "--adopt", "--json", **env)

    assert exit_code == 1
    assert max(map(len, before.lines)) <= columns
    assert "--adopt" in "".join(before.lines)
    found = {finding["name"]: finding for finding in json.loads(after.stdout)["findings"]}
    assert found["bucket format"]["verdict"] == "ok"
    assert "adopted from an older queue" in found["bucket format"]["message"]
    assert "The queue is BlobForge's, in format 1" in after.stderr


def test_doctor_adopts_nothing_where_the_queue_is_in_no_bucket(blobforge: Blobforge) -> None:
    refused = blobforge.call("doctor", "--adopt")

    assert refused.exit_code == 2
    assert "only a queue in a bucket can be adopted" in refused.stderr

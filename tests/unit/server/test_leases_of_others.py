"""A worker that names any number as its lease hears nothing of jobs in other projects."""

import pytest
from tests.server_scene import Scene, hash_of

UNKNOWN = 999_999


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize(
    ("path", "wrapped"),
    [
        ("renew", lambda lease: {"leases": [lease]}),
        ("upload-url", lambda lease: {"lease": lease, "size": 10}),
        ("blob-url", lambda lease: {"key": f"sources/{hash_of('a')}.pdf", "method": "GET", "lease": lease}),
        ("settle", lambda lease: {"process": "rack4", "endings": [{"kind": "released", "lease": lease}]}),
    ],
)
def test_a_job_of_another_project_is_answered_as_one_that_is_not_there(
    scene: Scene, path: str, wrapped: object, number: int
) -> None:
    """Also one that its own worker has claimed through this server, which keeps a copy."""
    assert callable(wrapped)
    theirs = scene.worker("rack1", project="default")
    scene.job("a")
    held = theirs.get("/api/jobs/claim", params={"type": "pdf"}).json()["job"]["id"]
    stranger = scene.worker("rack4", project="other")

    def told(job_id: int) -> str:
        lease = {"job_id": job_id, "number": number, "process": "rack4"}
        return stranger.post(f"/api/queue/{path}", json=wrapped(lease)).text.replace(str(job_id), "N")

    assert "lease_lost" in told(UNKNOWN)
    assert told(held) == told(UNKNOWN)
    assert "a.pdf" not in told(held)

"""A search for words of a path, which no index serves, looks at so many of the newest jobs and says so."""

from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene

from blobforge.domain.account import Role
from blobforge.server.api import jobs


@pytest.fixture(autouse=True)
def two_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "SEARCHED", 2, raising=False)


@pytest.fixture
def viewer(scene: Scene) -> httpx2.Client:
    return scene.having(Role.VIEWER)


def page(viewer: httpx2.Client, **query: str | int) -> dict[str, Any]:
    told = viewer.get("/api/jobs", params=query)
    assert told.status_code == 200, told.text
    said: dict[str, Any] = told.json()
    return said


def test_a_search_says_how_far_it_looked_and_goes_on_from_there(scene: Scene, viewer: httpx2.Client) -> None:
    wanted = scene.job("report")
    for name in "abcd":
        scene.job(name)

    pages = [page(viewer, q="report")]
    while pages[-1]["next"] is not None:
        pages.append(page(viewer, q="report", after=pages[-1]["next"]))

    assert [[job["id"] for job in one["jobs"]] for one in pages] == [[], [], [wanted.id]]
    assert [one["searched"] for one in pages] == [2, 2, None]
    assert (pages[0]["total"], pages[0]["total_is_exact"]) == (0, False)


def test_a_page_that_is_full_goes_on_from_its_last_job(scene: Scene, viewer: httpx2.Client) -> None:
    found = [scene.job(f"report {number}").id for number in range(4)]

    first = page(viewer, q="report", limit=1)
    second = page(viewer, q="report", limit=1, after=first["next"])

    assert [job["id"] for job in (*first["jobs"], *second["jobs"])] == [found[3], found[2]]
    assert first["total"] == 2


def test_a_search_in_few_jobs_looks_at_all_and_counts_exactly(scene: Scene, viewer: httpx2.Client) -> None:
    """R1-32."""
    wanted = scene.job("report")
    scene.job("a")

    said = page(viewer, q="report")

    assert [job["id"] for job in said["jobs"]] == [wanted.id]
    assert (said["total"], said["total_is_exact"], said["searched"], said["next"]) == (1, True, None, None)


def test_what_an_index_finds_is_found_among_all(scene: Scene, viewer: httpx2.Client) -> None:
    wanted = scene.job("report")
    for name in "abcd":
        scene.job(name)

    by_hash, by_type = page(viewer, q=wanted.source_hash[:12]), page(viewer, type="pdf")

    assert [job["id"] for job in by_hash["jobs"]] == [wanted.id]
    assert by_type["total"] == 5
    assert by_hash["searched"] is by_type["searched"] is None


def test_a_tag_is_searched_as_words_are(scene: Scene, viewer: httpx2.Client) -> None:
    for name in "abcd":
        scene.job(name)

    assert page(viewer, tag="law")["searched"] == 2

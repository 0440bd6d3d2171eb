"""reprocess: documents of a queue once more, wherever it is, also where nobody has their files any more."""

import json
import shlex
import uuid
from pathlib import Path
from typing import Any

from tests.e2e.program import Blobforge
from tests.e2e.results import told, worked
from tests.pdfs import text_pdf
from tests.seaweed import Seaweed


def jobs(blobforge: Blobforge, place: dict[str, str]) -> list[dict[str, Any]]:
    return list(told(blobforge, "list", **place)["jobs"])


def test_documents_are_redone_from_the_store_by_what_plan_recommends(
    blobforge: Blobforge, docs: Path, place: dict[str, str]
) -> None:
    for number in (1, 2):
        text_pdf(docs / f"{number}.pdf", f"Book {number}", "Two")
    worked(blobforge, **place)
    before = {job["source_hash"]: job["result"]["recipe"] for job in jobs(blobforge, place)}
    for path in docs.iterdir():
        path.unlink()
    plan = told(blobforge, "plan", "--option", "page_marks=true", **place)

    rehearsed = told(blobforge, *plan["command"].split()[1:], "--dry-run", **place)
    redone = told(blobforge, *plan["command"].split()[1:], **place)
    assert blobforge.call("worker", "--drain", **place).exit_code == 0
    again = told(blobforge, *plan["command"].split()[1:], **place)

    assert plan["command"] == "blobforge reprocess --all --option page_marks=true"
    assert (rehearsed["matched"], rehearsed["redone"], redone["redone"]) == (2, 0, 2)
    assert (again["current"], again["redone"]) == (2, 0)
    after = {job["source_hash"]: job["result"]["recipe"] for job in jobs(blobforge, place)}
    assert set(after.values()) == {plan["recipe_id"]} != set(before.values())
    shown = blobforge.call("preview", next(iter(after)), "--raw", **place)
    assert "<!-- page 1 -->" in shown.stdout


def test_a_known_document_with_other_options_is_told_with_what_to_do(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")
    blobforge.call("submit", "docs")
    (job,) = jobs(blobforge, {})

    same = blobforge.call("submit", "docs")
    other = blobforge.call("submit", "docs", "--option", "page_marks=true")

    assert "reprocess" not in same.stderr
    command = f"blobforge reprocess '#{job['id']}' --option page_marks=true"
    assert f"1 document known with other options, which stay; to process by these: {command}" in other.stderr
    assert blobforge.call(*shlex.split(command)[1:]).exit_code == 0
    assert jobs(blobforge, {})[0]["metadata"]["options"]["page_marks"] is True


def test_documents_are_chosen_by_what_is_known_of_them(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "good.pdf")
    (docs / "bad.pdf").write_text("no PDF")
    worked(blobforge, "--tag", "books")

    dead = told(blobforge, "reprocess", "--where", "state=dead", "--where", "code=not_a_pdf", "--dry-run")
    tagged = told(blobforge, "reprocess", "--where", "tag=books", "--where", "since=1h", "--dry-run")
    nobody = told(blobforge, "reprocess", "--where", "gaps", "--dry-run")
    refused = blobforge.call("reprocess", "--where", "colour=red")
    nothing = blobforge.call("reprocess")
    some_pages = blobforge.call("reprocess", "--all", "--option", "pages=1")

    assert (dead["matched"], dead["current"]) == (1, 0)
    assert (tagged["matched"], tagged["current"]) == (2, 1)
    assert nobody["matched"] == 0
    assert [refused.exit_code, nothing.exit_code, some_pages.exit_code] == [2, 2, 2]
    assert "'colour=red' is no condition; there are state=…" in refused.stderr
    assert "say which" in nothing.stderr
    assert "convert PATH -o FOLDER --pages 1" in some_pages.stderr


def test_many_documents_are_not_redone_unasked(blobforge: Blobforge, docs: Path) -> None:
    for number in range(11):
        (docs / f"{number}.pdf").write_text(f"no PDF, the {number}th")
    blobforge.call("submit", "docs")

    unasked = blobforge.call("reprocess", "--where", "state=pending", "--option", "page_marks=true")
    untouched = {job["metadata"]["options"].get("page_marks") for job in jobs(blobforge, {})}
    agreed = told(blobforge, "reprocess", "--where", "state=pending", "--option", "page_marks=true", "--yes")

    assert unasked.exit_code == 2
    assert "11 documents would be redone; say --yes" in unasked.stderr
    assert untouched == {None}
    assert agreed["redone"] == 11


def test_a_document_that_is_nowhere_is_passed_over_and_its_job_stays_completed(
    blobforge: Blobforge, docs: Path, place: dict[str, str]
) -> None:
    text_pdf(docs / "one.pdf", "One")
    blobforge.convert("docs", "-o", "out", **place)
    (docs / "one.pdf").unlink()

    done = blobforge.call("reprocess", "--all", "--option", "page_marks=true", **place)

    (job,) = jobs(blobforge, place)
    assert (done.exit_code, job["state"]) == (0, "completed")
    assert "(one.pdf): its document is neither in the store nor at its path; ingest it again" in done.stderr
    assert "0 documents to be redone, 1 passed over" in done.stderr


def test_documents_whose_results_are_gone_are_redone_all_at_once(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf", "One")
    text_pdf(docs / "two.pdf", "Two")
    blobforge.call("ingest", "docs")
    blobforge.call("worker", "--drain")
    for result in (blobforge.home / "blobs" / "outputs").rglob("*.zip"):
        result.unlink()

    planned = json.loads(blobforge.call("plan", "--json").stdout)
    redone = json.loads(blobforge.call("reprocess", "--all", "--yes", "--json").stdout)

    assert planned["lost"] == planned["redo"]["documents"] == redone["redone"] > 0
    assert blobforge.call("worker", "--drain").exit_code == 0
    assert json.loads(blobforge.call("plan", "--json").stdout)["lost"] == 0


def test_the_engine_is_the_one_that_made_the_result_and_those_that_wait_are_named(
    blobforge: Blobforge, docs: Path, place: dict[str, str]
) -> None:
    """After a call with an engine that nobody has, the way back is told."""
    text_pdf(docs / "one.pdf")
    worked(blobforge, **place)
    assert told(blobforge, "reprocess", "--all", "--engine", "marker", **place)["pending"] == 0

    made_by = told(blobforge, "reprocess", "--where", "engine=blobforge", "--dry-run", **place)
    again = blobforge.call("reprocess", "--all", **place)
    back = told(blobforge, "reprocess", "--where", "state=pending", **place)

    assert made_by["matched"] == 1
    assert again.exit_code == 0
    assert again.stderr.splitlines() == [
        "0 documents to be redone",
        "1 document waits already and by the order from before; 'blobforge reprocess --where state=pending' changes it",
    ]
    assert back["redone"] == 1
    assert jobs(blobforge, place)[0]["metadata"]["options"].get("engine") != "marker"


def test_a_result_outlives_a_later_run_that_dies_and_is_cleared(
    blobforge: Blobforge, docs: Path, place: dict[str, str]
) -> None:
    """R0-31: what has its result is not queued again."""
    text_pdf(docs / "one.pdf", "One", "Two")
    worked(blobforge, **place)
    told(blobforge, "reprocess", "--all", "--option", "page_marks=true", **place)
    blobforge.call("worker", "--drain", **place, BLOBFORGE_CONVERSION_MAX_PAGES="1")
    assert jobs(blobforge, place)[0]["state"] == "dead"

    cleared = told(blobforge, "clear-dead", "--yes", **place)
    told(blobforge, "gc", "--older-than", "0", "--yes", **place)
    ingested = told(blobforge, "submit", "docs", **place)

    assert (cleared["cleared"], cleared["restored"]) == (0, 1)
    assert ingested["queued"] == 0
    assert jobs(blobforge, place)[0]["state"] == "completed"
    assert told(blobforge, "hydrate", "docs", **place)["written"] == 1
    assert (docs / "one.md").read_text().startswith("# One")


def test_only_who_ingests_writes_the_manifest(blobforge: Blobforge, docs: Path, seaweed: Seaweed) -> None:
    """R0-26: whatever else is done to a library leaves it as it is."""
    place = {"BLOBFORGE_QUEUE": f"s3://{seaweed.bucket}/{uuid.uuid4().hex}", **seaweed.variables}
    text_pdf(docs / "one.pdf", "One", "Two")
    (docs / "bad.pdf").write_text("no PDF")
    told(blobforge, "ingest", "docs", **place)
    name = place["BLOBFORGE_QUEUE"].removeprefix(f"s3://{seaweed.bucket}/") + "/registry/"

    def manifest() -> dict[str, str]:
        listed = seaweed.client().list_objects_v2(Bucket=seaweed.bucket, Prefix=name)["Contents"]
        return {entry["Key"]: entry["ETag"] for entry in listed if "manifest" in entry["Key"]}

    ingested = manifest()
    commands = (
        *(["worker", "--drain"], ["reprocess", "--all", "--option", "page_marks=true"], ["worker", "--drain"]),
        *(["retry-all", "--dead"], ["worker", "--drain"], ["clear-dead", "--yes"], ["janitor"]),
        *(["convert", "docs", "-o", "out"], ["hydrate", "docs"], ["gc", "--older-than", "0", "--yes"]),
    )
    for command in commands:
        blobforge.run(*command, **place)

        assert manifest() == ingested, command
    assert any(key.endswith("/manifest.json") for key in ingested)

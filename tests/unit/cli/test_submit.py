"""The command submit."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Call

from blobforge.testing.builders import hash_of

LOOKED_FOR = "in folders, PDFs are looked for, by their names or first bytes"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Two documents with three names."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.pdf").write_text("%PDF- one")
    (folder / "b.pdf").write_text("%PDF- two")
    (folder / "c.pdf").write_text("%PDF- two")
    return folder


def test_programs_get_the_counts_and_one_entry_a_document(call: Call, docs: Path) -> None:
    done = call("submit", str(docs), "--json")

    told = json.loads(done.stdout)
    assert (done.exit_code, done.stderr) == (0, "")
    assert list(told) == ["documents", "queued", "known", "failed", "passed_over", "links_not_followed", "results"]
    assert [told[name] for name in ("documents", "queued", "known", "failed")] == [3, 2, 1, 0]
    assert told["results"][0] == {
        "path": str(docs / "a.pdf"),
        "outcome": "queued",
        "code": None,
        "message": None,
        "job_id": "1",
        "source_hash": hash_of("%PDF- one"),
        "state": "pending",
        "ordered_otherwise": False,
        "has_gaps": False,
    }


def test_people_get_the_counts_and_in_which_state_known_jobs_are(call: Call, docs: Path) -> None:
    first = call("submit", str(docs))
    second = call("submit", str(docs))

    assert (first.stdout, first.stderr) == ("", "2 queued, 1 known (1 pending), 0 failed\n")
    assert second.stderr == "0 queued, 3 known (3 pending), 0 failed\n"


def test_what_cannot_be_read_is_told_and_the_exit_code_says_partial(call: Call, docs: Path) -> None:
    (docs / "d.pdf").symlink_to("nowhere")

    done = call("submit", str(docs))

    assert done.exit_code == 3
    assert f"warning: {docs}/d.pdf cannot be read: No such file or directory [source_unreadable]\n" in done.stderr


def test_when_nothing_can_be_submitted_the_exit_code_is_1(call: Call, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.pdf").symlink_to("nowhere")

    assert call("submit", "docs").exit_code == 1


def test_a_folder_without_documents_is_no_error(call: Call, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()

    done = call("submit", "docs")

    assert (done.exit_code, done.stderr) == (
        0,
        f"0 queued, 0 known, 0 failed\nwarning: no documents found: {LOOKED_FOR}\n",
    )


def test_files_that_a_folder_has_and_that_are_no_pdfs_are_told_with_how_to_name_them(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "my notes" / "old").mkdir(parents=True)
    for name in ("a.txt", "old/b.txt"):
        (tmp_path / "my notes" / name).write_text("a note")

    done = call("submit", "my notes", "--type", "echo")

    assert done.exit_code == 0
    assert done.stderr == (
        f"0 queued, 0 known, 0 failed\nwarning: no documents found, 2 files passed over: {LOOKED_FOR}; "
        "to submit other files, name them: blobforge submit 'my notes'/* --type echo\n"
    )
    assert call("submit", "my notes/a.txt", "--type", "echo").stderr == "1 queued, 0 known, 0 failed\n"


def test_who_wants_pdfs_is_not_told_to_name_other_files(call: Call, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("a note")

    done = call("submit", "docs")

    assert done.stderr.endswith(f"warning: no documents found, 1 file passed over: {LOOKED_FOR}\n")


def test_programs_get_how_many_files_were_passed_over(call: Call, docs: Path) -> None:
    (docs / "a.txt").write_text("a note")

    done = call("submit", str(docs), "--json")

    told = json.loads(done.stdout)
    assert (told["documents"], told["passed_over"], done.stderr) == (3, 1, "")


def test_tags_priority_and_options_reach_the_job(call: Call, docs: Path) -> None:
    options = ("--option", "ocr=off", "--option", "slice_pages=7", "--option", "page_marks=true")

    call("submit", str(docs / "a.pdf"), "--tag", "x", "--tag", "y", "--priority", "high", *options)

    (job,) = json.loads(call("list", "--json").stdout)["jobs"]
    assert (job["tags"], job["priority"]) == (["x", "y"], 2)
    assert job["metadata"]["options"] == {
        "engine": "blobforge",
        "ocr_languages": "auto",
        "ocr": "off",
        "slice_pages": 7,
        "page_marks": True,
    }


def test_another_type_goes_to_its_processor(call: Call, docs: Path) -> None:
    call("submit", str(docs / "a.pdf"), "--type", "echo", "--option", "slices=2")

    (job,) = json.loads(call("list", "--json").stdout)["jobs"]
    assert (job["type"], job["metadata"]) == ("echo", {"options": {"slices": 2}})


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--priority", "urgent"), "'urgent' is no priority"),
        (("--option", "pages"), "'pages' is no NAME=VALUE"),
        (("--option", "=1"), "'=1' is no NAME=VALUE"),
        (("--option", "pagse=1"), "did you mean 'pages'?"),
        (("--option", "slice_pages=²"), "slice_pages"),
        (("--type", "word"), "no processor serves the type 'word'"),
    ],
)
def test_a_mistake_exits_2_and_queues_nothing(call: Call, docs: Path, args: tuple[str, ...], said: str) -> None:
    done = call("submit", str(docs), *args)

    assert (done.exit_code, said in done.stderr) == (2, True)
    assert json.loads(call("list", "--json").stdout)["jobs"] == []


def test_a_path_that_is_not_there_is_a_usage_error(call: Call) -> None:
    assert call("submit", "nowhere").exit_code == 2

"""The command ingest."""

import json
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Call


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(b"%PDF- one" + b" " * 1024)
    return folder


def test_options_reach_the_job(call: Call, docs: Path) -> None:
    done = call("ingest", str(docs), "--option", "ocr=off", "--option", "slice_pages=7")

    (job,) = json.loads(call("list", "--json").stdout)["jobs"]
    assert (done.exit_code, job["metadata"]["options"]["ocr"], job["metadata"]["options"]["slice_pages"]) == (
        0,
        "off",
        7,
    )


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_mistake_in_an_option_exits_2_and_queues_nothing(call: Call, docs: Path, more: tuple[str, ...]) -> None:
    done = call("ingest", str(docs), "--option", "pagse=1", *more)

    assert (done.exit_code, "did you mean 'pages'?" in done.stderr) == (2, True)
    assert json.loads(call("list", "--json").stdout)["jobs"] == []


@pytest.mark.parametrize("command", [("ingest",), ("submit",), ("convert", "-o", "out")])
def test_a_path_that_is_not_there_ends_the_command_before_anything_is_begun(
    call: Call, docs: Path, command: tuple[str, ...]
) -> None:
    name, *options = command

    done = call(name, str(docs), "nowhere.pdf", *options)

    assert (done.exit_code, "nowhere.pdf" in done.stderr) == (2, True)
    assert json.loads(call("list", "--json").stdout)["jobs"] == []
    assert "before anything" in call(name, "--help").stdout

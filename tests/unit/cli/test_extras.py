"""What needs a package of an extra that is not installed: one line with the command, at once, as of wrong settings."""

import sys
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Call

from blobforge import extras
from blobforge.config.settings import Settings
from blobforge.doctor import Verdict, examine
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.engines.liteparse import LiteparseEngine

SDK = "an address at s3:// needs boto3, which is not installed here; run pip install 'blobforge[s3]'"
DRIVER = "a queue at postgresql:// needs psycopg, which is not installed here; run pip install 'blobforge[postgres]'"
ENGINE = "the engine liteparse is not installed here: its package is liteparse; pip install 'blobforge[liteparse]'"


@pytest.fixture(autouse=True)
def default_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("boto3", "psycopg"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(extras, "folder_installed_from", lambda: None)
    monkeypatch.setattr(extras, "pip", lambda: "pip")
    # Not the version of liteparse alone: it is asked for once a process.
    monkeypatch.setattr(LiteparseEngine, "info", LiteparseEngine.info._replace(distribution="gone-away"))
    registry.engine_version.cache_clear()


@pytest.mark.parametrize("command", ["list", "status", "worker", "janitor", "gc"])
@pytest.mark.parametrize(
    ("queue", "said"), [("s3://bucket/pdf/", SDK), ("postgresql://me:secret@127.0.0.1:1/jobs", DRIVER)]
)
def test_a_queue_without_its_extra_is_told_with_the_command(
    call: Call, command: str, queue: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOBFORGE_QUEUE", queue)

    done = call(command)

    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"error: {said} [invalid_settings]\n"


def test_a_store_without_its_extra_is_told_before_anything_is_stored(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOBFORGE_STORE", "s3://bucket/pdf/")
    (tmp_path / "note.txt").write_text("hello")

    done = call("submit", "note.txt", "--type", "echo")

    assert (done.exit_code, done.stderr) == (2, f"error: {SDK} [invalid_settings]\n")


def test_an_engine_without_its_extra_is_told_before_any_document(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4")

    done = call("convert", "a.pdf", "-o", "out", "--engine", "liteparse")

    assert done.exit_code == 2
    assert done.stderr == f"error: {ENGINE.replace('is liteparse', 'is gone-away')} [engine_unavailable]\n"
    assert not (tmp_path / "out").exists()


def test_a_check_of_the_settings_names_every_missing_extra(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOBFORGE_QUEUE", "postgresql://me:secret@127.0.0.1:1/jobs")
    monkeypatch.setenv("BLOBFORGE_STORE", "s3://bucket/pdf/")
    monkeypatch.setenv("BLOBFORGE_ENGINE", "liteparse")

    done = call("config", "check")

    assert done.exit_code == 2
    assert done.stdout.splitlines() == [
        f"environment BLOBFORGE_QUEUE: {DRIVER}",
        f"environment BLOBFORGE_STORE: {SDK}",
        f"environment BLOBFORGE_ENGINE: {ENGINE.replace('is liteparse', 'is gone-away')}",
    ]


@pytest.mark.parametrize(
    ("queue", "name", "said"),
    [("s3://bucket/pdf/", "bucket", SDK), ("postgresql://me:secret@127.0.0.1:1/jobs", "queue", DRIVER)],
)
def test_doctor_names_a_missing_extra_and_looks_at_the_rest(queue: str, name: str, said: str, tmp_path: Path) -> None:
    found = {finding.name: finding for finding in examine(Settings(home=tmp_path / "home", queue=queue))}

    assert (found[name].verdict, found[name].message) == (Verdict.PROBLEM, f"{said} [invalid_settings]")
    assert found["child processes"].verdict is Verdict.OK


def test_doctor_warns_of_an_engine_that_only_others_may_have(tmp_path: Path) -> None:
    settings = Settings.model_validate({"home": tmp_path / "home", "conversion": {"engine": "liteparse"}})

    (engine,) = [finding for finding in examine(settings) if finding.name == "engine"]

    assert engine.verdict is Verdict.WARNING
    assert "pip install 'blobforge[liteparse]'" in engine.message


def test_only_a_queue_in_a_bucket_is_adopted_and_that_needs_the_sdk(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_a_file = call("doctor", "--adopt")
    monkeypatch.setenv("BLOBFORGE_QUEUE", "s3://bucket/pdf/")
    in_a_bucket = call("doctor", "--adopt")

    assert (in_a_file.exit_code, in_a_bucket.exit_code) == (2, 2)
    assert "only a queue in a bucket can be adopted" in in_a_file.stderr
    assert SDK in in_a_bucket.stderr


def test_the_worker_of_lab_reports_needs_the_driver_too(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DB_HOST", "DB_NAME", "DB_USER", "DB_PASSWORD", "STORAGE_BASE_PATH"):
        monkeypatch.setenv(name, "x")

    done = call("lab-worker", "--drain")

    assert done.exit_code == 2
    assert (
        "the table pdf_jobs needs psycopg, which is not installed here; run pip install 'blobforge[lab]'" in done.stderr
    )


def test_who_installed_from_a_folder_is_told_the_command_for_it(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index may have it: the command with the name alone would find nothing."""
    monkeypatch.setenv("BLOBFORGE_QUEUE", "s3://bucket/pdf/")
    monkeypatch.setattr(extras, "folder_installed_from", lambda: "/srv/my blobforge")

    done = call("list")

    assert done.stderr == f"error: {SDK.replace('blobforge[', '/srv/my blobforge[')} [invalid_settings]\n"


@pytest.mark.parametrize(
    ("hint", "here"),
    [
        ("pip install 'blobforge[marker]'", "/venv/bin/python -m pip install '/srv/my blobforge[marker]'"),
        ("pip install blobforge", "/venv/bin/python -m pip install '/srv/my blobforge'"),
        ("pip install brass", "/venv/bin/python -m pip install brass"),
        ("python -m spacy download de", "/venv/bin/python -m spacy download de"),
        ("apt install tesseract-ocr-deu", "apt install tesseract-ocr-deu"),
    ],
)
def test_a_hint_is_the_command_that_works_for_this_installation(
    hint: str, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(extras, "folder_installed_from", lambda: "/srv/my blobforge")
    monkeypatch.setattr(sys, "executable", "/venv/bin/python")
    monkeypatch.setenv("PATH", "")

    assert extras.as_here(hint) == here


@pytest.mark.parametrize(
    ("found", "has_pip", "said"),
    [
        ("bin/pip", True, "pip"),
        ("elsewhere/pip", True, "'{folder}/bin/python' -m pip"),
        (None, True, "'{folder}/bin/python' -m pip"),
        ("elsewhere/pip", False, "pip --python '{folder}/bin/python'"),
    ],
    ids=["its own", "another's", "none in the path", "an environment without pip"],
)
def test_the_pip_is_the_one_of_this_environment(
    found: str | None, has_pip: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my venv"
    for path in ("bin/python", "bin/other", "elsewhere/pip", "bin/pip"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch(mode=0o755)
    monkeypatch.undo()
    monkeypatch.setattr(sys, "executable", str(folder / "bin/python"))
    monkeypatch.setenv("PATH", str((folder / found).parent) if found else "")
    monkeypatch.setattr(extras, "find_spec", lambda _name: object() if has_pip else None)

    assert extras.pip() == said.format(folder=folder)


def test_an_engine_that_is_missing_is_told_with_the_command_for_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "pip", lambda: "/venv/bin/python -m pip")

    said = str(registry.not_installed("liteparse", LiteparseEngine.info))

    assert said.endswith("; /venv/bin/python -m pip install 'blobforge[liteparse]'")


@pytest.mark.parametrize(
    ("recorded", "folder"),
    [
        ('{"url": "file:///srv/my%20blobforge", "dir_info": {}}', "/srv/my blobforge"),
        ('{"url": "file:///srv/blobforge.whl", "archive_info": {}}', None),
        ('{"url": "https://example.org/blobforge.git", "vcs_info": {}}', None),
        ("no JSON", None),
        (None, None),
    ],
)
def test_the_folder_is_the_one_that_pip_has_recorded(recorded: str | None, folder: str | None) -> None:
    assert extras.folder_recorded(recorded) == folder

"""What a job's run needs before a child is asked."""

import zipfile
from pathlib import Path

import pytest
from tests.unit.worker.job_run_bench import Bench

from blobforge.domain.endings import Completed
from blobforge.domain.job import Failure
from blobforge.ports.blob_store import source_key
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.testing.builders import hash_of
from blobforge.worker.messages import Refused
from blobforge.worker.order import Order
from blobforge.worker.results import AcceptedResult, ResultStore
from blobforge.worker.storable_text import WITHHELD


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_time_of_a_document_begins_when_its_turn_comes(bench: Bench) -> None:
    bench.begun()
    bench.now += 5000

    prepared = bench.line[0].prepare()

    assert prepared is not None
    assert prepared[1] == 100


def test_what_went_away_before_the_work_began_is_told(bench: Bench) -> None:
    bench.begun(source_path=str(bench.folder / "gone.pdf"))

    assert bench.line[0].prepare() is None

    assert bench.failure.code == "source_missing"
    assert bench.failure.retryable


def test_what_changed_before_the_work_began_is_told(bench: Bench) -> None:
    bench.begun(source_hash=hash_of("something else"))

    assert bench.line[0].prepare() is None

    assert bench.failure.code == "source_changed"


def test_a_password_file_that_cannot_be_read_is_told(bench: Bench) -> None:
    bench.begun(order=Order(password_file="/nowhere/password"))

    assert bench.line[0].prepare() is None

    assert bench.failure.code == "source_unreadable"


def test_options_that_the_processor_refuses_are_told(bench: Bench) -> None:
    bench.begun(order=Order(options={"slises": 3}))

    assert bench.line[0].prepare() is None

    assert bench.failure.code == "invalid_options"
    assert "did you mean 'slices'?" in bench.failure.message


def test_a_password_is_handed_to_the_child_and_told_to_nobody(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("open sesame\n")
    bench.begun(order=Order(password_file=str(tmp_path / "password")))
    prepared = bench.line[0].prepare()
    assert prepared is not None
    assert prepared[0].task.secrets == {"password": "open sesame"}

    bench.answer(Refused(Failure("processing_error", "open sesame is wrong"), "said open sesame", spent=True))

    assert bench.failure.message == WITHHELD
    assert bench.details == [WITHHELD]


def test_a_password_that_is_a_common_word_garbles_no_message_of_ours(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("password\n")
    bench.begun(order=Order(password_file=str(tmp_path / "password")))
    assert bench.line[0].prepare() is not None

    bench.answer(Refused(Failure("encrypted_pdf", "it needs another password: --password-file"), "", spent=False))

    assert bench.failure.message == "it needs another password: --password-file"


def test_a_stored_result_completes_the_job_without_a_child(bench: Bench) -> None:
    archive = EchoArchive(bench.folder)
    run = bench.begun()
    recipe_id = EchoProcessor().recipe({}).id
    ResultStore(bench.blobs).put(run.job.source_hash, recipe_id, archive.accepted())

    assert bench.line[0].prepare() is None

    assert isinstance(bench.ending, Completed)
    assert bench.ending.files == ()
    assert f'"recipe":"{recipe_id}"' in bench.ending.result
    assert f'"engine":"{EchoProcessor().recipe({}).engine}"' in bench.ending.result
    assert [path for folder in bench.workspaces() for path in folder.iterdir()] == []


class EchoArchive:
    """The smallest result there is."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "archive.zip"
        with zipfile.ZipFile(self.path, "w") as archive:
            archive.writestr("info.json", '{"tally": {"pages": 1, "codes": {"ocr_unavailable": 1}}}')

    def accepted(self) -> AcceptedResult:
        return AcceptedResult(self.path, {}, 1, "c" * 64)


@pytest.mark.parametrize("mended", [frozenset(), frozenset({"ocr_unavailable"})])
def test_a_result_with_gaps_is_made_again_only_when_they_would_be_filled(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, mended: frozenset[str]
) -> None:
    monkeypatch.setattr(EchoProcessor, "mended", lambda *_: mended)
    run = bench.begun()
    results = ResultStore(bench.blobs)
    results.put(run.job.source_hash, EchoProcessor().recipe({}).id, EchoArchive(bench.folder).accepted())

    assert (bench.line[0].prepare() is not None) == bool(mended)


def test_a_fault_of_ours_is_raised_and_costs_the_job_an_attempt(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(EchoProcessor, "recipe", fault)
    bench.begun()

    with pytest.raises(ZeroDivisionError):
        bench.line[0].prepare()

    assert bench.failure == Failure("error", "ZeroDivisionError: by zero", retryable=True, stage="fetch")


def test_a_document_of_the_store_is_named_by_its_content(bench: Bench) -> None:
    run = bench.begun(source_path=None)
    bench.blobs.put(source_key(run.job.source_hash), bench.folder / "source.pdf")

    _, request = bench.next()

    assert request.task.source_name == f"{run.job.source_hash}.echo"

"""What doctor says of the machine, by facts that no test can have of its own."""

import sqlite3
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from blobforge import wiring
from blobforge.config.settings import ChildSettings, Settings
from blobforge.doctor import Verdict, backends, machine
from blobforge.doctor.findings import Finding, finding_of
from blobforge.testing.builders import new_job


@pytest.mark.parametrize(
    ("version", "queue", "verdict"),
    [
        ((3, 51, 2), "sqlite:////srv/queue.db", Verdict.WARNING),
        ((3, 51, 3), "sqlite:////srv/queue.db", Verdict.OK),
        ((3, 51, 2), "postgresql://db/jobs", Verdict.OK),
    ],
)
def test_an_sqlite_that_may_damage_the_queue_is_named_with_what_to_do(
    version: tuple[int, int, int], queue: str, verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    monkeypatch.setattr(sqlite3, "sqlite_version", ".".join(map(str, version)))

    found = machine.sqlite(Settings(home=tmp_path, queue=queue))

    assert found.verdict is verdict
    assert found.message.startswith(sqlite3.sqlite_version)
    assert ("use a Python with SQLite 3.51.3 or later" in found.message) is (verdict is Verdict.WARNING)


@pytest.mark.parametrize(
    ("version", "verdict"),
    [
        ((3, 11, 7), Verdict.WARNING),
        ((3, 11, 8), Verdict.OK),
        ((3, 12, 1), Verdict.WARNING),
        ((3, 12, 2), Verdict.OK),
        ((3, 13, 0), Verdict.OK),
        ((3, 14, 0), Verdict.OK),
    ],
)
def test_a_python_without_the_mends_that_results_need_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], verdict: Verdict
) -> None:
    monkeypatch.setattr(machine, "sys", SimpleNamespace(version_info=version))

    found = machine.python(Settings(home=tmp_path))

    assert found.verdict is verdict
    assert ("CVE-2024-0450" in found.message) is (verdict is Verdict.WARNING)
    assert ("use at least 3.11.8, 3.12.2 or 3.13," in found.message) is (verdict is Verdict.WARNING)


@pytest.mark.parametrize(("names", "said"), [([], "0 jobs"), (["a"], "1 job"), (["a", "b"], "2 jobs")])
def test_the_queue_is_told_with_how_many_jobs_it_has(tmp_path: Path, names: list[str], said: str) -> None:
    settings = Settings(home=tmp_path, queue=f"sqlite:///{tmp_path / 'queue.db'}")
    opened = wiring.open_coordinator(settings)
    opened.coordinator.submit([new_job(name) for name in names])
    opened.close()

    found = backends.queue(settings)

    assert found.message.endswith(f"queue.db, {said}")


def test_an_sqlite_that_is_not_the_queue_says_what_it_is_for(tmp_path: Path) -> None:
    found = machine.sqlite(Settings(home=tmp_path, queue="s3://bucket/pdf"))

    assert (found.verdict, found.message) == (
        Verdict.OK,
        f"{sqlite3.sqlite_version}, for the catalogue in {tmp_path} alone; the queue is elsewhere",
    )


def test_a_queue_in_a_file_of_another_kind_is_none_of_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jobs").write_bytes(b"jobs of somebody else")
    (tmp_path / "queue.db").write_bytes(b"SQLite format 3\0 and so on")
    monkeypatch.setattr(machine, "has_wal_reset_defect", lambda _version: True)
    found = {}

    for name in ("jobs", "queue.db"):
        monkeypatch.setattr(machine, "files_of_queue", lambda _settings, name=name: [tmp_path / name])
        found[name] = machine.sqlite(Settings(home=tmp_path)).verdict

    assert found == {"jobs": Verdict.OK, "queue.db": Verdict.WARNING}


def test_a_damaged_manifest_is_a_problem_with_what_to_do(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, store=f"file://{tmp_path / 'store'}")
    sound = backends.manifest(settings)
    (tmp_path / "store" / "registry").mkdir(parents=True, exist_ok=True)
    (tmp_path / "store" / "registry" / "manifest.json").write_text("garbage")

    found = finding_of("manifest", lambda: backends.manifest(settings))

    assert (sound.verdict, sound.message) == (Verdict.OK, "it can be read, and lists 0 documents")
    assert found.verdict is Verdict.PROBLEM
    assert "blobforge manifest rebuild --force" in found.message
    assert found.message.endswith("[manifest_damaged]")


def test_a_limit_of_memory_that_is_too_small_to_load_the_engine_is_a_problem(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, child=ChildSettings(memory_mb=64))

    found = finding_of("child processes", lambda: machine.children(settings))

    assert found.verdict is Verdict.PROBLEM
    assert "child_memory_mb (BLOBFORGE_CHILD_MEMORY_MB)" in found.message


def test_a_file_that_may_not_be_read_is_told_without_the_number_of_the_error() -> None:
    def refused() -> Finding:
        raise PermissionError(13, "Permission denied", "/srv/queue")

    assert finding_of("home", refused).message == "/srv/queue: Permission denied"


def test_a_damaged_catalogue_is_a_problem_that_costs_nothing_to_mend(tmp_path: Path) -> None:
    (tmp_path / "catalog.db").write_bytes(b"no database" * 1_000)

    found = finding_of("catalogue", partial(machine.catalogue, Settings(home=tmp_path)))

    assert found.verdict is Verdict.PROBLEM
    assert "move it away" in found.message

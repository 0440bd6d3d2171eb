"""Who may read what is kept at home and in a store, and what was converted."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.pdfs import text_pdf


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def library(blobforge: Blobforge) -> Path:
    text_pdf(blobforge.cwd / "in" / "one.pdf")
    return blobforge.cwd / "in"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def rights_below(folder: Path) -> tuple[set[str], set[str]]:
    """The modes of all folders, itself included, and of all files."""
    below = list(folder.rglob("*"))
    folders = {oct(mode(path)) for path in (folder, *below) if path.is_dir()}
    return folders, {oct(mode(path)) for path in below if path.is_file()}


def work(blobforge: Blobforge, library: Path, **env: str) -> None:
    blobforge.call("ingest", str(library), **env)
    blobforge.call("worker", "--drain", **env)


def test_what_is_kept_is_for_its_owner_alone(blobforge: Blobforge, library: Path) -> None:
    work(blobforge, library)

    assert {path.name for path in blobforge.home.iterdir()} >= {"queue.db", "catalog.db", "blobs"}
    assert rights_below(blobforge.home) == ({"0o700"}, {"0o600"})


def test_folders_above_the_home_have_the_usual_rights(blobforge: Blobforge, library: Path) -> None:
    home = blobforge.cwd / "shown" / "deep" / ".blobforge"

    blobforge.call("convert", str(library), "-o", "shown", BLOBFORGE_HOME=str(home))

    assert {oct(mode(folder)) for folder in (home.parent, home.parents[1])} == {"0o755"}
    assert oct(mode(home)) == "0o700"


def test_what_somebody_asked_for_has_the_usual_rights(blobforge: Blobforge, library: Path) -> None:
    blobforge.call("convert", str(library), "-o", "out")
    work(blobforge, library)
    blobforge.call("hydrate", str(library))
    blobforge.call("download", "#1", "-o", "one.zip")

    assert rights_below(blobforge.cwd / "out") == ({"0o755"}, {"0o644"})
    assert oct(mode(library / "one.md")) == "0o644"
    assert oct(mode(blobforge.cwd / "one.zip")) == "0o644"


def test_a_store_in_a_folder_of_somebody_s_own_is_private_too(blobforge: Blobforge, library: Path) -> None:
    (blobforge.cwd / "store").mkdir()
    work(blobforge, library, BLOBFORGE_STORE=f"file://{blobforge.cwd}/store")

    folders, files = rights_below(blobforge.cwd / "store")
    assert (folders, files) == ({"0o700", "0o755"}, {"0o600"})


def test_a_group_may_share_what_is_kept(blobforge: Blobforge, library: Path) -> None:
    work(blobforge, library, BLOBFORGE_FILE_RIGHTS="group")

    assert rights_below(blobforge.home) == ({"0o2770"}, {"0o660"})


def test_the_umask_decides_where_that_is_asked_for(blobforge: Blobforge, library: Path) -> None:
    work(blobforge, library, BLOBFORGE_FILE_RIGHTS="umask")

    assert rights_below(blobforge.home) == ({"0o755"}, {"0o644"})


def test_doctor_tells_of_what_others_can_read_and_how_to_mend_it(blobforge: Blobforge, library: Path) -> None:
    work(blobforge, library, BLOBFORGE_FILE_RIGHTS="umask")

    before = findings(blobforge)
    os.system(before["rights"]["message"].split("`")[1])
    after = findings(blobforge)

    assert before["rights"]["verdict"] == "warning"
    assert f"others can read {blobforge.home}" in before["rights"]["message"]
    assert after["rights"]["verdict"] == "ok"
    assert rights_below(blobforge.home) == ({"0o700"}, {"0o600"})


def findings(blobforge: Blobforge) -> dict[str, dict[str, str]]:
    found = json.loads(blobforge.call("doctor", "--json").stdout)
    return {check["name"]: check for check in found["findings"]}

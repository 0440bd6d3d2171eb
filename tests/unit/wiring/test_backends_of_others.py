"""A queue and a store of somebody else bring all that belongs to them, and nothing here knows their scheme."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.cli.packages import install
from tests.unit.wiring import loft

from blobforge import plugins, wiring
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.blob_store import BlobKey
from blobforge.testing.builders import new_job
from blobforge.wiring.addresses import files_of_queue, files_of_store, unusable_addresses
from blobforge.wiring.queues import open_private_coordinator, retry_policy

KEY = BlobKey("sources/a.pdf")


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(tmp_path / "packages", "lofts", entry_points=loft.ENTRY_POINTS, modules={})
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    plugins._found.cache_clear()
    loft.closed.clear()
    loft.rooms.clear()
    yield
    plugins._found.cache_clear()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", queue=f"loft://{tmp_path}/queue", store=f"loft://{tmp_path}/store")


def test_its_own_coordinator_is_the_one_that_is_asked(settings: Settings) -> None:
    opened = wiring.open_coordinator(settings)

    (inserted,) = opened.coordinator.submit([new_job("a")])

    assert inserted.job.created_at == loft.THEN == opened.clock.now()


def test_its_library_is_where_documents_lie_and_results_are_published(settings: Settings, tmp_path: Path) -> None:
    opened = wiring.open_coordinator(settings)
    document = tmp_path / "a.pdf"
    document.write_bytes(b"%PDF")

    opened.blobs().put(KEY, document)
    opened.work_in(tmp_path / "room")

    assert opened.publishes
    assert (tmp_path / "queue" / "blobs" / KEY).read_bytes() == b"%PDF"
    assert wiring.open_blobs(settings).stat(KEY) is not None
    unpublished = opened.unpublished()
    assert unpublished is not None
    assert unpublished.stat(KEY) is None
    assert loft.rooms == [tmp_path / "room"]


def test_what_it_shall_not_publish_lies_beside_its_results(settings: Settings, tmp_path: Path) -> None:
    document = tmp_path / "a.pdf"
    document.write_bytes(b"%PDF")

    open_private_coordinator(settings, policy=retry_policy(settings)).blobs().put(KEY, document)

    assert (tmp_path / "queue" / "unpublished" / KEY).exists()


def test_the_queue_is_closed_before_its_library(settings: Settings) -> None:
    wiring.open_coordinator(settings).close()

    assert loft.closed == ["queue", "library"]


def test_its_store_serves_a_queue_without_a_library(settings: Settings, tmp_path: Path) -> None:
    with_store = settings.model_copy(update={"queue": "memory://"})

    opened = wiring.open_coordinator(with_store)

    assert not opened.publishes
    assert list(opened.blobs().list("")) == []
    assert not (tmp_path / "store").exists(), "who only looks makes nothing"
    with pytest.raises(InvalidSettings, match="a store at loft:// has no manifest"):
        wiring.open_manifest(with_store)


def test_its_files_are_hidden_from_children_and_its_addresses_checked(settings: Settings, tmp_path: Path) -> None:
    wrong = settings.model_copy(update={"queue": "loft://"})

    assert files_of_queue(settings) == [tmp_path / "queue" / "jobs"]
    assert files_of_store(settings) == ()
    assert list(unusable_addresses(settings)) == []
    assert list(unusable_addresses(wrong)) == [("queue", "'loft://' names no loft: write loft:///FOLDER")]


def test_an_address_that_nobody_has_stands_for_no_files(settings: Settings) -> None:
    unknown = settings.model_copy(update={"queue": "ftp://somewhere"})

    assert files_of_queue(unknown) == ()
    assert list(unusable_addresses(unknown)) == []


def test_no_scheme_of_a_backend_is_named_in_wiring() -> None:
    wiring_folder = Path(wiring.__file__).parent

    named = [
        f"{path.name}: {scheme}"
        for path in wiring_folder.glob("*.py")
        for scheme in ("s3", "sqlite", "postgresql", "file", "memory")
        if f'"{scheme}"' in (text := path.read_text(encoding="utf-8")) or f'"{scheme}:' in text
    ]

    assert named == []


def test_a_queue_that_says_nothing_of_accounts_has_none(settings: Settings) -> None:
    for open_them in (wiring.open_accounts, wiring.open_known_accounts):
        with pytest.raises(InvalidSettings, match=r"this queue has no accounts.*: loft://.* has neither tokens nor"):
            open_them(settings)

    assert loft.closed == []


def test_a_queue_that_promised_accounts_and_brought_none_is_closed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loft, "QUEUE", replace(loft.QUEUE, why_no_accounts=None))

    with pytest.raises(InvalidSettings, match="brought no accounts"):
        wiring.open_accounts(settings)

    assert loft.closed == ["queue", "library"]

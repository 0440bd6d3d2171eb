"""A queue and a store of somebody else bring all that belongs to them, and nothing here knows their scheme."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.cli.packages import install
from tests.unit.wiring import other_backend

from blobforge import plugins, wiring
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.blob_store import BlobKey
from blobforge.testing.builders import new_job
from blobforge.wiring.addresses import are_on_this_machine, files_of_queue, files_of_store, unusable_addresses
from blobforge.wiring.queues import open_private_coordinator, retry_policy

KEY = BlobKey("sources/a.pdf")


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(tmp_path / "packages", "others", entry_points=other_backend.ENTRY_POINTS, modules={})
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    plugins._found.cache_clear()
    other_backend.closed.clear()
    other_backend.rooms.clear()
    yield
    plugins._found.cache_clear()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", queue=f"other://{tmp_path}/queue", store=f"other://{tmp_path}/store")


def test_its_own_coordinator_is_the_one_that_is_asked(settings: Settings) -> None:
    opened = wiring.open_coordinator(settings)

    (inserted,) = opened.coordinator.submit([new_job("a")])

    assert inserted.job.created_at == other_backend.THEN == opened.clock.now()


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
    assert other_backend.rooms == [tmp_path / "room"]


def test_what_it_shall_not_publish_lies_beside_its_results(settings: Settings, tmp_path: Path) -> None:
    document = tmp_path / "a.pdf"
    document.write_bytes(b"%PDF")

    open_private_coordinator(settings, policy=retry_policy(settings)).blobs().put(KEY, document)

    assert (tmp_path / "queue" / "unpublished" / KEY).exists()


def test_the_queue_is_closed_before_its_library(settings: Settings) -> None:
    wiring.open_coordinator(settings).close()

    assert other_backend.closed == ["queue", "library"]


def test_its_store_serves_a_queue_without_a_library(settings: Settings, tmp_path: Path) -> None:
    with_store = settings.model_copy(update={"queue": "memory://"})

    opened = wiring.open_coordinator(with_store)

    assert not opened.publishes
    assert list(opened.blobs().list("")) == []
    assert not (tmp_path / "store").exists(), "who only looks makes nothing"
    with pytest.raises(InvalidSettings, match="a store at other:// has no manifest"):
        wiring.open_manifest(with_store)


def test_its_files_are_hidden_from_children_and_its_addresses_checked(settings: Settings, tmp_path: Path) -> None:
    wrong = settings.model_copy(update={"queue": "other://"})

    assert files_of_queue(settings) == [tmp_path / "queue" / "jobs"]
    assert files_of_store(settings) == ()
    assert list(unusable_addresses(settings)) == []
    assert list(unusable_addresses(wrong)) == [("queue", "'other://' names no folder: write other:///FOLDER")]


def test_it_is_on_this_machine_where_queue_and_store_are_in_files(settings: Settings, tmp_path: Path) -> None:
    with_folder = settings.model_copy(update={"store": f"file://{tmp_path}/store"})
    with_server = with_folder.model_copy(update={"queue": "postgresql://db.example.org/queue"})

    assert are_on_this_machine(with_folder)
    assert not are_on_this_machine(settings)
    assert not are_on_this_machine(with_server)


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
        with pytest.raises(InvalidSettings, match=r"this queue has no accounts.*: other://.* has neither tokens nor"):
            open_them(settings)

    assert other_backend.closed == []


def test_a_queue_that_promised_accounts_and_brought_none_is_closed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(other_backend, "QUEUE", replace(other_backend.QUEUE, why_no_accounts=None))

    with pytest.raises(InvalidSettings, match="brought no accounts"):
        wiring.open_accounts(settings)

    assert other_backend.closed == ["queue", "library"]

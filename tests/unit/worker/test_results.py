"""Finished results in the result store, whole and damaged."""

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.errors import NotFound, ResultDamaged
from blobforge.domain.files import FileRole
from blobforge.domain.ids import RecipeId
from blobforge.domain.json_value import JsonObject
from blobforge.ports.blob_store import BlobKey, BlobStat, result_key
from blobforge.testing.builders import hash_of
from blobforge.worker.results import AcceptedResult, ResultStore, StoredResult

HASH = hash_of("a document")
RECIPE = RecipeId("r" * 16)
KEY = result_key(HASH, RECIPE)
INFO = '{"tally": {"pages": 3, "codes": {"ocr_unavailable": 2}}}'


def a_zip(info: str | None = INFO, compression: int = zipfile.ZIP_STORED, *, pictures: int = 0) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr("document.md", "text")
        for number in range(pictures):
            archive.writestr(f"assets/p{number}.png", "a picture")
        if info is not None:
            archive.writestr("info.json", info)
    return stream.getvalue()


@pytest.fixture
def results(tmp_path: Path) -> ResultStore:
    return ResultStore(DirectoryBlobStore(tmp_path / "blobs"))


def put(results: ResultStore, folder: Path, content: bytes) -> None:
    archive = folder / "result.zip"
    archive.write_bytes(content)
    results.put(HASH, RECIPE, AcceptedResult(archive, {}, len(content), "c" * 64))


def test_a_result_is_found_by_content_and_recipe(results: ResultStore, tmp_path: Path) -> None:
    content = a_zip(pictures=2)
    put(results, tmp_path, content)

    found = results.find(HASH, RECIPE)

    codes: JsonObject = {"ocr_unavailable": 2}
    summary: JsonObject = {"pages": 3, "codes": codes, "images": 2, "output_size": len(content)}
    assert found == StoredResult(key=KEY, summary=summary)
    assert found.flaws == ("ocr_unavailable",)
    assert results.find(HASH, RecipeId("another")) is None
    assert results.find(hash_of("another"), RECIPE) is None


@pytest.mark.parametrize(
    ("info", "warnings"),
    [
        ({"warnings": ["has_attachments"], "attachments": ["a.txt", "b.txt"]}, {"has_attachments": 2}),
        ({"warnings": ["xfa_form"], "pages": [{"warnings": ["ocr_unsure"]}]}, {"ocr_unsure": 1, "xfa_form": 1}),
        ({"warnings": ["has_attachments"], "attachments": 7}, {"has_attachments": 1}),
        ({"warnings": ["what another program said", 7]}, {}),
        ({"warnings": "xfa_form"}, {}),
    ],
)
def test_what_holds_for_the_document_as_a_whole_is_found_again(
    results: ResultStore, tmp_path: Path, info: dict[str, object], warnings: dict[str, int]
) -> None:
    put(results, tmp_path, a_zip(json.dumps({"tally": {"pages": 3}, **info})))

    found = results.find(HASH, RECIPE)

    assert found is not None
    assert found.summary.get("warnings", {}) == warnings
    assert found.flaws == tuple(warnings)


def test_the_archive_moves_into_the_store_and_leaves_a_record(results: ResultStore, tmp_path: Path) -> None:
    archive = tmp_path / "result.zip"
    archive.write_bytes(a_zip())

    record = results.put(HASH, RECIPE, AcceptedResult(archive, {}, 7, "c" * 64))

    assert record == (FileRole.OUTPUT, KEY, 7, "application/zip", "c" * 64)
    assert not archive.exists()


def test_its_files_can_be_read_until_it_is_thrown_away(results: ResultStore, tmp_path: Path) -> None:
    put(results, tmp_path, a_zip())

    with results.open(KEY) as archive:
        assert archive.read("document.md") == b"text"
    results.discard(KEY)

    with pytest.raises(NotFound), results.open(KEY):
        pass


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be opened: File is not a zip file"),
        (b"PK\3\4 and then nothing", "cannot be opened: File is not a zip file"),
        (a_zip()[:-30], "cannot be opened: File is not a zip file"),
        (a_zip(info=None), "has no readable info.json"),
        (a_zip(info="no json"), "has no readable info.json"),
        (a_zip(info="[" * 100_000), "has no readable info.json"),
        (a_zip(info="[]"), "is no object"),
    ],
)
def test_a_damaged_result_is_told_and_counts_as_none(
    results: ResultStore, tmp_path: Path, content: bytes, message: str
) -> None:
    put(results, tmp_path, content)

    with pytest.raises(ResultDamaged, match=message):
        results.info(KEY)
    assert results.find(HASH, RECIPE) is None


@settings(max_examples=300, deadline=None, database=None)
@given(data=st.data(), compression=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
def test_a_result_with_any_bytes_wrong_never_ends_a_worker(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, compression: int
) -> None:
    content = bytearray(a_zip(compression=compression))
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.getbasetemp()
    results = ResultStore(DirectoryBlobStore(folder / "damaged"))
    put(results, folder, bytes(content))

    found = results.find(HASH, RECIPE)

    assert found is None or found.key == KEY


def test_a_result_that_is_damaged_anywhere_counts_as_none(results: ResultStore, tmp_path: Path) -> None:
    content = io.BytesIO(a_zip("{}"))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr("assets/p1.png", b"a picture")
    put(results, tmp_path, content.getvalue().replace(b"a picture", b"A PICTURE"))

    assert results.find(HASH, RECIPE) is None
    assert results.info(KEY) == {}


@pytest.mark.parametrize("info", ["{}", '{"tally": []}', '{"tally": {"codes": 7}}'])
def test_a_result_that_tells_little_is_still_one(results: ResultStore, tmp_path: Path, info: str) -> None:
    put(results, tmp_path, a_zip(info))

    found = results.find(HASH, RECIPE)

    assert found is not None
    assert found.flaws == ()


def test_a_result_that_vanishes_between_two_looks_counts_as_none(tmp_path: Path) -> None:
    class Forgetful(DirectoryBlobStore):
        def stat(self, key: BlobKey) -> BlobStat:
            return BlobStat(key, 1, datetime.now(UTC))

    assert ResultStore(Forgetful(tmp_path)).find(HASH, RECIPE) is None

"""The places of what clients upload, and the ids by which they name it."""

import pytest

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import JobId, RecipeId, SourceHash
from blobforge.domain.recipe import UNRECORDED
from blobforge.domain.uploads import (
    PART_SIZE,
    FilePart,
    ResultUpload,
    SourceUpload,
    attempts_of,
    incoming_of,
    parse_incoming,
    parse_recipe_id,
    parse_source_upload,
    parse_upload_id,
    parts_of,
)

RECIPE = RecipeId("0123456789abcdef")
NONCE = "f" * 16
HASH = SourceHash("a" * 64)


def test_a_result_lies_among_the_attempts_of_its_job_and_is_known_by_its_id() -> None:
    upload = ResultUpload(JobId(7), 3, RECIPE, NONCE)

    assert upload.key == f"outputs/.attempts/7-3-{RECIPE}-{NONCE}.zip"
    assert upload.key.startswith(attempts_of(JobId(7)))
    assert not upload.key.startswith(attempts_of(JobId(70)))
    assert not ResultUpload(JobId(70), 3, RECIPE, NONCE).key.startswith(attempts_of(JobId(7)))
    assert parse_upload_id(upload.id, job_id=JobId(7)) == upload


@pytest.mark.parametrize("text", ["", "3", f"3-{RECIPE}", f"3-{RECIPE}-{NONCE}/../x", f"-3-{RECIPE}-{NONCE}", "3-x-y"])
def test_what_is_no_id_of_a_result_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="is no id of an upload"):
        parse_upload_id(text, job_id=JobId(7))


def test_a_source_lies_apart_until_it_was_looked_at() -> None:
    upload = parse_source_upload(NONCE, source_hash=HASH)

    assert upload == SourceUpload(HASH, NONCE)
    assert upload.key == f"incoming/{HASH}-{NONCE}"


@pytest.mark.parametrize("nonce", ["", "../x", "F" * 16, NONCE + "0"])
def test_what_is_no_id_of_a_source_is_refused(nonce: str) -> None:
    with pytest.raises(InvalidValue, match="is no id of an upload"):
        parse_source_upload(nonce, source_hash=HASH)


def test_the_key_of_an_uploaded_source_tells_its_job() -> None:
    assert parse_incoming(f"{incoming_of(JobId(12))}{NONCE}") == JobId(12)


@pytest.mark.parametrize("key", ["incoming/x", f"incoming/{HASH}-{NONCE}", "sources/1.pdf", ""])
def test_every_other_key_tells_none(key: str) -> None:
    assert parse_incoming(key) is None


def test_a_client_that_tells_no_recipe_has_one_that_is_unrecorded() -> None:
    assert parse_recipe_id(None) == UNRECORDED
    assert parse_recipe_id(RECIPE) == RECIPE
    with pytest.raises(InvalidValue, match="is no recipe"):
        parse_recipe_id("../x")


def test_the_last_part_of_a_file_is_what_is_left() -> None:
    assert parts_of(2 * PART_SIZE + 1) == [
        FilePart(1, 0, PART_SIZE),
        FilePart(2, PART_SIZE, PART_SIZE),
        FilePart(3, 2 * PART_SIZE, 1),
    ]
    assert parts_of(PART_SIZE) == [FilePart(1, 0, PART_SIZE)]

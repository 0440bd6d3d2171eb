"""Where the database of another application says that an uploaded document lies."""

import pytest

from blobforge.domain.json_value import canonical_json
from blobforge.domain.uploaded_document import UploadedDocument, upload_of
from blobforge.testing.builders import a_job


def test_an_upload_is_read_back_from_the_metadata_of_its_job() -> None:
    upload = UploadedDocument(7, "local", "2026/report.pdf")

    assert upload_of(a_job(metadata=canonical_json({"upload": upload.as_json()}))) == upload


def test_a_document_without_a_row_has_neither_disk_nor_path() -> None:
    assert upload_of(a_job(metadata='{"upload":{"document_id":7,"disk":null,"path":null}}')) == UploadedDocument(
        7, None, None
    )


@pytest.mark.parametrize(
    "metadata", ["", "[", "[]", "{}", '{"upload":{}}', '{"upload":{"document_id":"x"}}', "[" * 9999]
)
def test_what_names_no_upload_is_none(metadata: str) -> None:
    assert upload_of(a_job(metadata=metadata)) is None

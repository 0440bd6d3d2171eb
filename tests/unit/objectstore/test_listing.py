"""The objects of a listing are read as the SDK reads them."""

from typing import Any

import botocore.session
import pytest
from botocore.parsers import create_parser

from blobforge.objectstore.listing import read_entries

ENTRY = (
    "<Contents><Key>pdf/a%20b</Key><LastModified>2026-11-15T23:00:01.000Z</LastModified>"
    "<ETag>&quot;d41d&quot;</ETag><Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>"
)
PAGE = (
    '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    "<Name>b</Name><EncodingType>url</EncodingType>{entries}<IsTruncated>true</IsTruncated>"
    "<NextContinuationToken>more</NextContinuationToken></ListBucketResult>"
)


def answer(body: str, *, status: int = 200) -> dict[str, Any]:
    return {"status_code": status, "body": body.encode(), "headers": {}}


def parsed(response: dict[str, Any]) -> dict[str, Any]:
    model = botocore.session.get_session().get_service_model("s3").operation_model("ListObjectsV2")
    found: dict[str, Any] = create_parser("rest-xml").parse(response, model.output_shape)
    return found


def test_a_listing_is_the_same_as_the_sdk_reads_it() -> None:
    page = PAGE.format(entries=ENTRY.format(size=1) + ENTRY.format(size=2**40))
    response, taken = answer(page), dict[str, Any]()

    read_entries(response, taken)

    ours, theirs = {**parsed(response), **taken}, parsed(answer(page))
    for entry in theirs["Contents"]:
        del entry["StorageClass"]
    assert ours == theirs
    assert len(ours["Contents"]) == 2


def test_a_listing_of_nothing_has_no_objects() -> None:
    taken: dict[str, Any] = {}

    read_entries(answer(PAGE.format(entries="")), taken)

    assert taken == {"Contents": []}


@pytest.mark.parametrize(
    "response",
    [
        answer("<Error/>", status=503),
        answer("no XML"),
        answer(PAGE.format(entries=ENTRY.format(size="many"))),
        answer(PAGE.format(entries="<Contents><Key>a</Key></Contents>")),
    ],
    ids=["an error", "no XML", "no number", "half an entry"],
)
def test_what_is_not_as_expected_is_left_to_the_sdk(response: dict[str, Any]) -> None:
    taken: dict[str, Any] = {}
    before = dict(response)

    read_entries(response, taken)

    assert (response, taken) == (before, {})

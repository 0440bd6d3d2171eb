"""A client of the S3 SDK, set so that every store understands it and nothing is tried again behind our back."""

from typing import Any

import boto3
from botocore.config import Config

from blobforge.objectstore.listing import read_entries
from blobforge.objectstore.place import Place

CONNECT_SECONDS = 5
READ_SECONDS = 20
"""Well below the patience for one request, so that an answer that never comes is asked for again."""


def client_of(place: Place) -> Any:
    access = place.access
    client = boto3.session.Session().client(
        "s3",
        endpoint_url=access.endpoint_url,
        region_name=access.region,
        aws_access_key_id=access.access_key_id,
        aws_secret_access_key=access.secret_access_key,
        config=Config(
            signature_version="s3v4",
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            # We try again ourselves: only we know which answers may be our own doing.
            retries={"total_max_attempts": 1},
            # Checksums in trailers are not understood by every store.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path"} if access.endpoint_url else None,
            max_pool_connections=32,
        ),
    )
    client.meta.events.register("before-parse.s3.ListObjectsV2", read_entries)
    return client

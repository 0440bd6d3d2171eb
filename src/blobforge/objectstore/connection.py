"""A client of the S3 SDK, set so that every store understands it and nothing is tried again behind our back."""

import os
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import PartialCredentialsError

from blobforge.domain.errors import InvalidSettings
from blobforge.objectstore.answers import no_keys
from blobforge.objectstore.listing import read_entries
from blobforge.objectstore.place import Place
from blobforge.telemetry.safe_text import without_passwords

CONNECT_SECONDS = 3
READ_SECONDS = 20
"""Well below the patience for one request, so that an answer that never comes is asked for again."""

_one_at_a_time = threading.Lock()
"""A session makes clients for one thread at a time; the clients themselves are for all."""


@dataclass(slots=True)
class Contact:
    """Whether a store has ever answered this process."""

    made: bool = False


@cache
def _contact_at(_endpoint: str | None, _bucket: str) -> Contact:
    return Contact()


def contact_with(place: Place) -> Contact:
    """The same for all clients of a bucket: each is opened anew for a part of the work."""
    return _contact_at(place.access.endpoint_url, place.bucket)


def client_of(place: Place) -> Any:
    """Raises InvalidSettings."""
    with _one_at_a_time:
        try:
            client = _made_by(_session(), place)
        except PartialCredentialsError as error:
            raise no_keys(str(place), error) from error
        except ValueError as error:
            # Also for the address in a variable or a file of the SDK itself.
            said = without_passwords(str(error))
            raise InvalidSettings(f"{place}: {said}; check BLOBFORGE_S3_ENDPOINT_URL or AWS_ENDPOINT_URL") from error
    client.meta.events.register("before-parse.s3.ListObjectsV2", read_entries)
    return client


@cache
def _session() -> "boto3.session.Session":
    """One for all clients: it has read what the SDK knows of S3, which takes twenty times as long as a client."""
    return boto3.session.Session()


def _made_by(session: "boto3.session.Session", place: Place) -> Any:
    access = place.access
    return session.client(
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


def _begin_anew() -> None:
    _session.cache_clear()
    _one_at_a_time.release()


# A process that is forked off shares nothing with its parent, and never inherits a lock that nobody will release.
os.register_at_fork(before=_one_at_a_time.acquire, after_in_parent=_one_at_a_time.release, after_in_child=_begin_anew)

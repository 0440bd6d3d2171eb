"""The client of the S3 SDK, configured for all stores and without retries of its own."""

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
"""Well below the time for retries, so that a response that never comes is requested again."""

_one_at_a_time = threading.Lock()
"""A session is not thread-safe; its clients are."""


@dataclass(slots=True)
class Contact:
    """Whether a store has ever answered this process."""

    made: bool = False


@cache
def _contact_at(_endpoint: str | None, _bucket: str) -> Contact:
    return Contact()


def contact_with(place: Place) -> Contact:
    """Shared by all clients of a bucket in this process."""
    return _contact_at(place.access.endpoint_url, place.bucket)


def client_of(place: Place) -> Any:
    """Raises InvalidSettings."""
    with _one_at_a_time:
        try:
            client = _made_by(_session(), place)
        except PartialCredentialsError as error:
            raise no_keys(str(place), error) from error
        except ValueError as error:
            # Also for an endpoint in an environment variable or a file of the SDK.
            said = without_passwords(str(error))
            raise InvalidSettings(f"{place}: {said}; check BLOBFORGE_S3_ENDPOINT_URL or AWS_ENDPOINT_URL") from error
    client.meta.events.register("before-parse.s3.ListObjectsV2", read_entries)
    return client


@cache
def _session() -> "boto3.session.Session":
    """Shared: loading the SDK's model of S3 takes twenty times as long as creating a client."""
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
            # `Retries` does it: after an unclear try it must check whether the object is ours.
            retries={"total_max_attempts": 1},
            # Not every store supports checksums in trailers.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path"} if access.endpoint_url else None,
            max_pool_connections=32,
        ),
    )


def _reset_after_fork() -> None:
    _session.cache_clear()
    _one_at_a_time.release()


# A forked process gets a session of its own, and never inherits a locked lock.
os.register_at_fork(
    before=_one_at_a_time.acquire, after_in_parent=_one_at_a_time.release, after_in_child=_reset_after_fork
)

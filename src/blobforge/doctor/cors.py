"""Whether browsers may send files to the bucket of a server, and fetch them there: its CORS rule."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit

from blobforge.client.preflight import Preflight, is_allowed
from blobforge.config.settings import Settings
from blobforge.doctor.findings import Finding, Verdict, finding_of
from blobforge.domain.uploads import INCOMING
from blobforge.objectstore.answers import Retries
from blobforge.wiring.buckets import open_objects

NAME = "bucket CORS"
METHODS = ("PUT", "GET")


def examine(settings: Settings, retries: Retries) -> Iterator[Finding]:
    """Nothing where no server has this bucket for its store: other programs have no pages."""
    if settings.server.public_url is not None and not settings.queue.startswith("s3://"):
        yield finding_of(NAME, partial(_rule, settings, settings.server.public_url, retries))


def _rule(settings: Settings, public_url: str, retries: Retries) -> Finding:
    """Asked as a browser asks, by the address that clients have: what the keys may read does not matter."""
    parts = urlsplit(public_url)
    origin = f"{parts.scheme}://{parts.netloc}"
    url = _address(settings, retries)
    refused = [method for method in METHODS if not is_allowed(Preflight(url, origin, method))]
    if not refused:
        return Finding(name=NAME, verdict=Verdict.OK, message=f"pages of {origin} may send files to it and fetch them")
    message = (
        f"pages of {origin} may not {' or '.join(refused)} there: give the bucket a CORS rule with AllowedOrigins "
        f'["{origin}"], AllowedMethods ["GET", "PUT"] and AllowedHeaders ["content-type"]. '
        "Programs and workers need none"
    )
    return Finding(name=NAME, verdict=Verdict.WARNING, message=message)


def _address(settings: Settings, retries: Retries) -> str:
    """Of some upload, without a signature: a browser sends none with this question."""
    public = settings.s3.public_endpoint or settings.s3.endpoint_url
    reached = settings.model_copy(update={"s3": settings.s3.model_copy(update={"endpoint_url": public})})
    with closing(open_objects(settings.store, reached, retries=retries)) as store:
        signed = store.presigned(f"{INCOMING}/browser", method="PUT", valid_for=timedelta(minutes=1))
    return signed.partition("?")[0]

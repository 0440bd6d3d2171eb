"""What a browser asks a store before it sends a file there, or fetches one, for a page of another place."""

from typing import NamedTuple

import httpx2

from blobforge.client.conversation import CONNECT_SECONDS, SECONDS, place_of, reason
from blobforge.domain.errors import StoreUnavailable


class Preflight(NamedTuple):
    """`origin` is the place of the page, as browsers say it."""

    url: str
    origin: str
    method: str
    header: str = "content-type"


def is_allowed(asked: Preflight) -> bool:
    """Whether the answer lets a browser go on. Raises StoreUnavailable."""
    headers = {
        "Origin": asked.origin,
        "Access-Control-Request-Method": asked.method,
        "Access-Control-Request-Headers": asked.header,
    }
    timeout = httpx2.Timeout(SECONDS, connect=CONNECT_SECONDS)
    try:
        answer = httpx2.request("OPTIONS", asked.url, headers=headers, timeout=timeout)
    except httpx2.TransportError as error:
        raise StoreUnavailable(f"{place_of(asked.url)}: {reason(error)}") from error
    return (
        answer.is_success
        and answer.headers.get("access-control-allow-origin") in ("*", asked.origin)
        and _has(answer, "access-control-allow-methods", asked.method)
        and _has(answer, "access-control-allow-headers", asked.header)
    )


def _has(answer: httpx2.Response, name: str, wanted: str) -> bool:
    said = {word.strip().lower() for word in answer.headers.get(name, "").split(",")}
    return bool(said & {"*", wanted.lower()})

"""Conditional requests: what is shown of a job is known by its revision."""

import re
from typing import Annotated, NamedTuple

from fastapi import Header
from starlette.responses import Response

from blobforge.domain.errors import ChangedMeanwhile, InvalidValue
from blobforge.domain.job import Job, title

IfNoneMatch = Annotated[str | None, Header(max_length=1000, description="An ETag that is known: 304 while it holds.")]
IfMatch = Annotated[str | None, Header(max_length=1000, description="The ETag that was seen: 412 where it is old.")]

_TAG = re.compile(r'\s*(W/)?"([^"\x00-\x20\x7f]*)"\s*')
_ANY = "*"


class _Tag(NamedTuple):
    is_weak: bool
    text: str


def job_headers(job: Job) -> dict[str, str]:
    """It may be kept by who asked, who asks again whether it still holds."""
    return {"ETag": f'"{job.rev}"', "Cache-Control": "private, no-cache"}


def unchanged(job: Job, if_none_match: str | None) -> Response | None:
    """304, where the asker knows it as it is. Raises InvalidValue."""
    if if_none_match is None:
        return None
    is_known = if_none_match.strip() == _ANY or any(tag.text == str(job.rev) for tag in _tags(if_none_match))
    return Response(status_code=304, headers=job_headers(job)) if is_known else None


def required_rev(job: Job, if_match: str | None) -> int | None:
    """The revision that the job must still have when it is changed; None is any. A weak tag promises too little for
    that. Raises ChangedMeanwhile, InvalidValue."""
    if if_match is None or if_match.strip() == _ANY:
        return None
    if not any(tag.text == str(job.rev) and not tag.is_weak for tag in _tags(if_match)):
        raise ChangedMeanwhile(
            f'{title(job)}: it has changed meanwhile; it is {job.state}, and its ETag is "{job.rev}"'
        )
    return job.rev


def _tags(text: str) -> list[_Tag]:
    found = [_TAG.fullmatch(part) for part in text.split(",")]
    tags = [_Tag(match[1] is not None, match[2]) for match in found if match is not None]
    if len(tags) < len(found):
        raise InvalidValue(f'{text[:80]!r} is no ETag: it stands in quotes, as in "3"')
    return tags

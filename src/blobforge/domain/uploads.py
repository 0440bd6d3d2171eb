"""The places of what clients upload, which the server alone names: nobody gets a URL that writes a final key."""

import re
from typing import NamedTuple

from blobforge.domain.errors import InvalidValue
from blobforge.domain.ids import JobId, RecipeId, SourceHash
from blobforge.domain.recipe import UNRECORDED

INCOMING = "incoming"
ATTEMPTS = "outputs/.attempts"
PLACES = (f"{INCOMING}/", f"{ATTEMPTS}/")
"""Where all lies that was uploaded and has not got its place yet."""

PART_SIZE = 16 * 1024 * 1024
"""A larger file is sent in parts of so many bytes, the last of what is left: a bucket takes none that are much smaller,
and no more than one is lost when a connection breaks."""

_INCOMING = re.compile(INCOMING + r"/([0-9]{1,18})-[0-9a-f]{16}")
_UPLOAD_ID = re.compile(r"([0-9]{1,18})-([0-9a-f]{16})-([0-9a-f]{16})")


class FilePart(NamedTuple):
    """Numbers begin with 1, as those of S3 do."""

    number: int
    offset: int
    size: int


def parts_of(size: int) -> list[FilePart]:
    """Of a file that is sent in parts."""
    return [
        FilePart(number, offset, min(PART_SIZE, size - offset))
        for number, offset in enumerate(range(0, size, PART_SIZE), 1)
    ]


class ResultUpload(NamedTuple):
    """A result on its way, made under one lease by one recipe. Its id is what its client names it by."""

    job_id: JobId
    lease_number: int
    recipe_id: RecipeId
    nonce: str

    @property
    def id(self) -> str:
        return f"{self.lease_number}-{self.recipe_id}-{self.nonce}"

    @property
    def key(self) -> str:
        return f"{attempts_of(self.job_id)}{self.id}.zip"


class SourceUpload(NamedTuple):
    """A document on its way, which may have no job yet. Its nonce is what its client names it by."""

    source_hash: SourceHash
    nonce: str

    @property
    def key(self) -> str:
        return f"{INCOMING}/{self.source_hash}-{self.nonce}"


def attempts_of(job_id: JobId) -> str:
    """What the keys of the uploaded results of a job begin with. One folder has them for all jobs, so that none leaves
    an empty folder behind."""
    return f"{ATTEMPTS}/{job_id}-"


def incoming_of(job_id: JobId) -> str:
    """What the keys of the uploaded sources of a job begin with."""
    return f"{INCOMING}/{job_id}-"


def parse_incoming(key: str) -> JobId | None:
    """The job whose source a key is for; None for every other key."""
    found = _INCOMING.fullmatch(key)
    return JobId(int(found[1])) if found else None


def parse_source_upload(nonce: str, *, source_hash: SourceHash) -> SourceUpload:
    """Raises InvalidValue."""
    if not re.fullmatch(r"[0-9a-f]{16}", nonce):
        raise InvalidValue(f"{nonce[:80]!r} is no id of an upload: it is given with the upload's address")
    return SourceUpload(source_hash, nonce)


def parse_upload_id(text: str, *, job_id: JobId) -> ResultUpload:
    """Raises InvalidValue."""
    found = _UPLOAD_ID.fullmatch(text)
    if found is None:
        raise InvalidValue(f"{text[:80]!r} is no id of an upload: it is given with the upload's address")
    return ResultUpload(job_id, int(found[1]), RecipeId(found[2]), found[3])


def parse_recipe_id(text: str | None) -> RecipeId:
    """That of a client which tells none is unrecorded. Raises InvalidValue."""
    if text is None:
        return UNRECORDED
    if not re.fullmatch(r"[0-9a-f]{16}", text):
        raise InvalidValue(f"{text[:80]!r} is no recipe: it has 16 lower-case hexadecimal digits")
    return RecipeId(text)

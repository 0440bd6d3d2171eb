"""The layout of the bucket. The names of document 000 belong to the type `pdf` of the default project; every other
project and type has the same folders in a lane of its own.

    queue/todo/<tier>/<hash>              marker of a pending job; the index that workers list
    queue/processing/<hash>[.g<n>]        the record: the state of a job that was ever claimed or changed
    queue/failed|dead|cancelled/<hash>    markers of records, for people and listings
    queue/hint                            the change token: changes when there may be new jobs to claim
    store/out/<hash>.zip                  the published result: the job is completed
    lanes/<project>/<type>/queue/…        the same for another project or type
    registry/ids/<id>~<project>~<type>~<hash>   newest first
    registry/gaps/<id>~<project>~<type>~<hash>  those whose published result misses pages
    registry/doubts/<id>~<project>~<type>~<hash>  those whose published result is doubtful
"""

import re
from typing import NamedTuple

from blobforge.domain.ids import JobId, JobKey, SourceHash
from blobforge.domain.priority import Priority
from blobforge.objectstore.key_layout import LANE_LIST, MAIN_LANE, OUT, lane_prefix, listed_lane, out_name

TIERS = tuple(priority.slug for priority in Priority)
IDS = "registry/ids/"
GAPS = "registry/gaps/"
DOUBTS = "registry/doubts/"
WORKERS = "registry/workers/"
RECORDS = "registry/records/"
IDENTITY = "registry/identity.json"
FILES = "registry/files/"
SPILLED = "registry/jobs/"

_RECORD = re.compile(r"([0-9a-f]{64})(?:\.g([0-9]{1,9}))?")
_HASH = re.compile(r"[0-9a-f]{64}")
_LARGEST_ID = 10**19 - 1


class Lane(NamedTuple):
    """The jobs of one project and type: a folder of its own, so that a worker lists no others."""

    project: str
    type: str

    @property
    def prefix(self) -> str:
        return lane_prefix(self.project, self.type)

    @property
    def change_token(self) -> str:
        return f"{self.prefix}queue/hint"

    @property
    def todo(self) -> str:
        return f"{self.prefix}queue/todo/"

    @property
    def records(self) -> str:
        return f"{self.prefix}queue/processing/"

    @property
    def outs(self) -> str:
        return f"{self.prefix}{OUT}"

    def marker(self, kind: str, source_hash: str = "") -> str:
        """Of a kind such as `failed`; without a hash, what all markers of the kind begin with."""
        return f"{self.prefix}queue/{kind}/{source_hash}"

    def waiting(self, priority: int, source_hash: str) -> str:
        return f"{self.todo}{Priority(priority).slug}/{source_hash}"

    def record(self, source_hash: str, generation: int) -> str:
        return f"{self.records}{source_hash}" + (f".g{generation}" if generation > 1 else "")

    def out(self, source_hash: str) -> str:
        return out_name(self.project, self.type, source_hash)

    def key(self, source_hash: str) -> JobKey:
        return JobKey(self.project, self.type, SourceHash(source_hash))


def lane_of(key: JobKey) -> Lane:
    return Lane(key.project, key.type)


MAIN = Lane(*MAIN_LANE)


def listed(lane: Lane) -> str:
    """The object that registers a lane."""
    return f"{LANE_LIST}{lane.project}~{lane.type}"


def parse_listed(name: str) -> Lane | None:
    found = listed_lane(name)
    return None if found is None else Lane(*found)


class RecordName(NamedTuple):
    """A record by what its name says, before it is read."""

    source_hash: str
    generation: int


def parse_record_name(name: str) -> RecordName | None:
    """Of the last part of a name; None for what is no record."""
    found = _RECORD.fullmatch(name.rpartition("/")[2])
    return RecordName(found[1], int(found[2] or 1)) if found else None


class WaitingName(NamedTuple):
    """A marker in `queue/todo` by what its name says."""

    priority: int
    source_hash: str


def parse_waiting(name: str) -> WaitingName | None:
    """Of `…/<tier>/<hash>`; None for what is no marker of ours."""
    rest, _, last = name.rpartition("/")
    tier = rest.rpartition("/")[2]
    if tier not in TIERS or not _HASH.fullmatch(last):
        return None
    return WaitingName(TIERS.index(tier) + 1, last)


def parse_hash(name: str) -> str | None:
    """Of `…/<hash>` or `…/<hash>.zip`."""
    last = name.rpartition("/")[2].removesuffix(".zip")
    return last if _HASH.fullmatch(last) else None


class IndexName(NamedTuple):
    """The name of an index entry, which holds the id and the key of a job."""

    job_id: JobId
    key: JobKey

    @property
    def name(self) -> str:
        return self.within(IDS)

    def within(self, index: str) -> str:
        return f"{before(self.job_id, index)}~{self.key.project}~{self.key.type}~{self.key.source_hash}"


def before(job_id: JobId, index: str = IDS) -> str:
    """The prefix of a job's entry. In a listing newer jobs come first."""
    return f"{index}{_LARGEST_ID - job_id:019}"


def parse_index(name: str) -> IndexName | None:
    """The entry of any index."""
    parts = name.rpartition("/")[2].split("~")
    if len(parts) != 4 or not parts[0].isdigit() or not _HASH.fullmatch(parts[3]):
        return None
    return IndexName(JobId(_LARGEST_ID - int(parts[0])), JobKey(parts[1], parts[2], SourceHash(parts[3])))

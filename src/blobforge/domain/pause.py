"""A lane that somebody paused: what runs goes on, and nothing more is claimed from it."""

from datetime import datetime
from typing import NamedTuple


class Pause(NamedTuple):
    """`by` is who did it, as the audit trail names them."""

    project: str
    type: str
    since: datetime
    by: str

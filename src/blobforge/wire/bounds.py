"""What a message may hold: numbers that every queue can keep, and text that every queue can look for."""

from typing import Annotated

from pydantic import AwareDatetime, Field

from blobforge.domain.loose_json import LARGEST

Id = Annotated[int, Field(ge=0, le=LARGEST)]
Whole = Annotated[int, Field(ge=-LARGEST, le=LARGEST)]
Size = Annotated[int, Field(ge=0, le=LARGEST)]

Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
"""PostgreSQL has no text with a NUL in it."""
Word = Annotated[str, Field(max_length=255, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""The name of a project, a type, a process."""

Project = Annotated[str, Field(max_length=255, pattern=r"^[^\x00-\x1f\x7f]*$")] | None
"""None is the one that a token or a worker is for, and `default` where that is all of them."""

Moment = AwareDatetime
"""Without a time zone, nobody knows when it is."""

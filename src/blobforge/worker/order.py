"""The order of a job, as its metadata holds it: options, password file and needs."""

from dataclasses import dataclass, field
from pathlib import Path

from blobforge.domain.errors import SourceUnreadable
from blobforge.domain.job import Job
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.loose_json import json_in, object_in
from blobforge.domain.needs import NOTHING, with_needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """`password_file` names a file; the password itself is never stored."""

    options: JsonObject = field(default_factory=dict)
    password_file: str | None = None
    needs: frozenset[str] = NOTHING
    """What a worker must have for it."""

    def as_metadata(self) -> str:
        """The form that a job's metadata has."""
        files: JsonObject = {} if self.password_file is None else {"password_file": self.password_file}
        order = canonical_json({"options": self.options, **files})
        return with_needs(order, self.needs) if self.needs else order

    def secrets(self) -> dict[str, str]:
        """Read when the work begins, and handed to the child alone. Raises SourceUnreadable."""
        if self.password_file is None:
            return {}
        try:
            password = Path(self.password_file).read_text(encoding="utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            # Not with its cause, which has a byte of the password.
            raise SourceUnreadable(f"the password file {self.password_file} holds no UTF-8 text") from None
        except OSError as error:
            raise SourceUnreadable(f"the password file {self.password_file} cannot be read: {error}") from error
        if not password:
            raise SourceUnreadable(f"the password file is empty: {self.password_file}")
        return {"password": password}


def order_of(job: Job) -> Order:
    """Tolerates metadata that others wrote: what is not an order is passed over."""
    said = object_in(json_in(job.metadata))
    options, password_file = said.get("options"), said.get("password_file")
    return Order(
        options=options if isinstance(options, dict) else {},
        password_file=password_file if isinstance(password_file, str) else None,
        needs=frozenset(filter(None, job.needs.split(" "))),
    )


def with_same_password(job: Job, order: str) -> str:
    """Another order for a job, which opens the document by the same password as before."""
    password_file = order_of(job).password_file
    if password_file is None:
        return order
    return canonical_json({**object_in(json_in(order)), "password_file": password_file})

"""The settings of `blobforge lab-worker`: variables with the names that the owners of such databases know."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError

from blobforge.config.settings import Section
from blobforge.domain.errors import InvalidSettings

Text = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class LabSettings(Section):
    """One variable a field, in upper case."""

    db_host: Annotated[Text, Field(description="The server of the database")] = "localhost"
    db_port: Annotated[int, Field(ge=1, le=65_535, description="Its port")] = 5432
    db_name: Annotated[Text, Field(description="The database with `pdf_jobs` and `uploaded_documents`")] = "bioreport"
    db_user: Annotated[Text, Field(description="The role that the worker connects as")] = "postgres"
    db_password: Annotated[SecretStr, Field(description="Its password")]
    poll_interval_seconds: Annotated[
        Seconds, Field(description="How long an idle worker waits before it asks again")
    ] = 5
    max_attempts: Annotated[int, Field(ge=1, le=100, description="Attempts in total before a job is `failed`")] = 3
    stale_lock_seconds: Annotated[
        float,
        Field(ge=10, le=86_400, description="A job whose `locked_at` is older than this is taken from its worker"),
    ] = 600
    storage_base_path: Annotated[Path, Field(description="The folder of the uploads")] = Path(
        "/data/uploaded_documents"
    )
    storage_path_template: Annotated[
        Text, Field(description="Where in it a document lies; may name `{user_id}`, `{uuid}` and `{id}`")
    ] = "{user_id}/{uuid}.pdf"
    max_file_mb: Annotated[int, Field(ge=1, le=2_000, description="The largest file that is read")] = 50
    spacy_model_name: Annotated[
        Text, Field(description="An installed spaCy pipeline, or `blank:` and a language, which needs none")
    ] = "blank:xx"

    def place(self) -> dict[str, str | int]:
        """As libpq names it."""
        return {
            "host": self.db_host,
            "port": self.db_port,
            "dbname": self.db_name,
            "user": self.db_user,
            "password": self.db_password.get_secret_value(),
        }


def load_lab(environ: Mapping[str, str] | None = None) -> LabSettings:
    """An empty variable is as good as none. Raises InvalidSettings that names all that is wrong."""
    environ = os.environ if environ is None else environ
    given = {name: environ[name.upper()] for name in LabSettings.model_fields if environ.get(name.upper())}
    try:
        return LabSettings.model_validate(given)
    except ValidationError as error:
        raise InvalidSettings("; ".join(_explained(detail["loc"], detail) for detail in error.errors())) from None


def _explained(place: tuple[int | str, ...], detail: Mapping[str, object]) -> str:
    name = str(place[0]).upper()
    return f"{name} is not set, and it is needed" if detail["type"] == "missing" else f"{name}: {detail['msg']}"

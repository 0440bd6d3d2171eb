"""An application with its database, in the forms that its columns may have."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.integration.pdf_jobs.application import Application
from tests.postgres import Databases

FORMS = {"enum": "timestamp", "text": "timestamptz", "checked": "timestamp(0)"}


@pytest.fixture(params=FORMS)
def application(request: pytest.FixtureRequest, postgres_server: Databases, tmp_path: Path) -> Application:
    return Application(postgres_server, tmp_path / "uploads", types=request.param, locked_at=FORMS[request.param])


@pytest.fixture
def enum_application(postgres_server: Databases, tmp_path: Path) -> Application:
    """For what does not depend on the form of the columns."""
    return Application(postgres_server, tmp_path / "uploads")


@pytest.fixture
def blobforge(tmp_path: Path) -> Iterator[Blobforge]:
    blobforge = Blobforge(tmp_path, tmp_path / "home")
    yield blobforge
    blobforge.close()

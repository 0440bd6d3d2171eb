"""The settings of the worker for lab reports, by the names that owners of such databases know."""

from pathlib import Path

import pytest

from blobforge.config.lab import LabSettings, load_lab
from blobforge.coordination.pdf_jobs.documents import DocumentPaths
from blobforge.domain.errors import InvalidSettings


def test_only_the_password_must_be_given() -> None:
    """R3-24."""
    lab = load_lab({"DB_PASSWORD": "secret"})

    assert (lab.db_host, lab.db_port, lab.db_name, lab.db_user) == ("localhost", 5432, "bioreport", "postgres")
    assert (lab.poll_interval_seconds, lab.max_attempts, lab.stale_lock_seconds) == (5, 3, 600)
    assert lab.storage_base_path == Path("/data/uploaded_documents")
    assert (lab.storage_path_template, lab.spacy_model_name) == ("{user_id}/{uuid}.pdf", "blank:xx")


def test_every_setting_is_a_variable() -> None:
    """R3-24, R3-42."""
    given = {
        "DB_HOST": "db",
        "DB_PORT": "6543",
        "DB_NAME": "app",
        "DB_USER": "worker",
        "DB_PASSWORD": "secret",
        "POLL_INTERVAL_SECONDS": "0.5",
        "MAX_ATTEMPTS": "5",
        "STALE_LOCK_SECONDS": "60",
        "STORAGE_BASE_PATH": "/uploads",
        "STORAGE_PATH_TEMPLATE": "{id}.pdf",
        "MAX_FILE_MB": "10",
        "SPACY_MODEL_NAME": "de_core_news_sm",
    }

    lab = load_lab(given)

    assert {name.upper() for name in LabSettings.model_fields} == set(given)
    assert lab.place() == {"host": "db", "port": 6543, "dbname": "app", "user": "worker", "password": "secret"}
    assert lab.model_dump(mode="json")["storage_base_path"] == "/uploads"


def test_all_that_is_wrong_is_told_at_once_and_no_password() -> None:
    with pytest.raises(InvalidSettings) as caught:
        load_lab({"DB_PORT": "high", "MAX_ATTEMPTS": "0", "DB_PASSWORD": ""})

    told = str(caught.value)
    assert "DB_PASSWORD is not set, and it is needed" in told
    assert "DB_PORT:" in told
    assert "MAX_ATTEMPTS:" in told


def test_a_password_is_not_shown() -> None:
    assert "secret" not in repr(load_lab({"DB_PASSWORD": "secret"}))


@pytest.mark.parametrize(
    "template",
    ["{name}.pdf", "{uuid", "../{uuid}.pdf", "/{uuid}.pdf", "a.pdf", "{uuid!r}.pdf", "{uuid:>9}", "{uuid.hex}", "{0}"],
)
def test_a_template_that_names_no_file_below_the_folder_is_refused(template: str) -> None:
    """R3-38."""
    with pytest.raises(InvalidSettings, match="STORAGE_PATH_TEMPLATE"):
        DocumentPaths(template)

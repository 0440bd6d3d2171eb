"""The settings of a server and of who reaches it, by the names that document 001 gave them."""

from pathlib import Path

from blobforge.config.load import load
from blobforge.config.settings import Settings


def settings(folder: Path, **environ: str) -> Settings:
    return load(environ={"BLOBFORGE_HOME": str(folder), **environ}, folder=folder).settings


def test_the_defaults_of_a_server_are_those_of_the_document(tmp_path: Path) -> None:
    """R1-69, R1-70, R1-75, R1-76, R1-77, R1-78."""
    usual = settings(tmp_path)

    assert (usual.server.host, usual.server.port) == (None, 8080)
    assert usual.queue == f"sqlite:///{tmp_path}/queue.db"
    assert usual.s3.region in (None, "auto")
    assert usual.server.worker_timeout == 180
    assert usual.retry.max_attempts == 3
    assert usual.log.level == "INFO"


def test_a_server_takes_the_names_of_the_document(tmp_path: Path) -> None:
    """R1-69, R1-70, R1-71, R1-72, R1-73, R1-74, R1-75, R1-76, R1-77, R1-78."""
    chosen = settings(
        tmp_path,
        BLOBFORGE_PORT="9090",
        BLOBFORGE_DB_PATH="/srv/blobforge.db",
        BLOBFORGE_S3_BUCKET="library",
        BLOBFORGE_S3_ENDPOINT="http://127.0.0.1:8333",
        BLOBFORGE_S3_ACCESS_KEY="key",
        BLOBFORGE_S3_SECRET_KEY="hidden",
        BLOBFORGE_S3_REGION="eu-central-1",
        BLOBFORGE_WORKER_TIMEOUT="60",
        BLOBFORGE_MAX_ATTEMPTS="5",
        BLOBFORGE_LOG_LEVEL="warning",
    )

    assert chosen.server.port == 9090
    assert chosen.queue == "sqlite:////srv/blobforge.db"
    assert chosen.store.startswith("s3://library")
    assert chosen.s3.endpoint_url == "http://127.0.0.1:8333"
    assert (chosen.s3.access_key_id, chosen.s3.secret_access_key) == ("key", "hidden")
    assert chosen.s3.region == "eu-central-1"
    assert chosen.server.worker_timeout == 60
    assert chosen.retry.max_attempts == 5
    assert chosen.log.level == "WARNING"


def test_a_worker_of_a_server_needs_three_variables(tmp_path: Path) -> None:
    """R1-85."""
    chosen = settings(
        tmp_path,
        BLOBFORGE_SERVER_URL="http://forge.example:8080",
        BLOBFORGE_WORKER_ID="rack4",
        BLOBFORGE_WORKER_SECRET="bfw_0",
    )

    assert chosen.queue == "http://forge.example:8080"
    assert (chosen.worker.id, chosen.worker.secret) == ("rack4", "bfw_0")

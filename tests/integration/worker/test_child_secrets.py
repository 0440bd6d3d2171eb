"""What a child may know: nothing of its parent's secrets, and of a document's password only by its pipe."""

from pathlib import Path

from tests.integration.worker import strange_processors as strange
from tests.integration.worker.workbench import Start, a_task, ask, produced

SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "s3-secret",
    "BLOBFORGE_WORKER_SECRET": "worker-secret",
    "HF_TOKEN": "hf-secret",
    "DATABASE_PASSWORD": "database-secret",
    "BLOBFORGE_QUEUE": "postgresql://queue-secret@host/db",
    "HTTPS_PROXY": "http://user:proxy-secret@proxy:3128",
    "PYTHON_KEYRING_PASSWORD": "keyring-secret",
}


def test_no_secret_is_in_its_environment_or_its_arguments(start: Start, tmp_path: Path) -> None:
    child = start(strange.Confession, environment={**SECRETS, "LANG": "C.UTF-8"})

    summary = produced(ask(child, a_task(tmp_path))).product.summary

    assert isinstance(summary["environ"], dict)
    assert "secret" not in f"{summary['environ']} {summary['argv']}"
    assert summary["environ"]["LANG"] == "C.UTF-8"
    assert summary["environ"]["HTTPS_PROXY"] == "http://proxy:3128"


def test_a_password_reaches_it_by_the_pipe_and_is_nowhere_else(start: Start, tmp_path: Path) -> None:
    child = start(strange.Snoop)

    summary = produced(ask(child, a_task(tmp_path, secrets={"password": "open sesame"}))).product.summary

    assert summary["known"] == len("open sesame")
    assert summary["found"] == []
    assert isinstance(summary["files"], int)
    assert summary["files"] > 1

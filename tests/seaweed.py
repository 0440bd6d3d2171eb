"""A real S3 server for tests: SeaweedFS, which comes as a wheel."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from blobforge.ports.blob_store import S3Access

PATIENCE_SECONDS = 60
KEYS = {"accessKey": "test-key", "secretKey": "test-secret"}
IDENTITIES = {"identities": [{"name": "tests", "credentials": [KEYS], "actions": ["Admin"]}]}


class Seaweed:
    """Buckets of a server that answers on this machine alone."""

    def __init__(self, port: int) -> None:
        self.access = S3Access(f"http://127.0.0.1:{port}", "us-east-1", KEYS["accessKey"], KEYS["secretKey"])

    @cached_property
    def bucket(self) -> str:
        """One that all tests share, each below a prefix of its own: making one takes as long as a test."""
        self.client().create_bucket(Bucket="tests")
        return "tests"

    @property
    def variables(self) -> dict[str, str]:
        """For a program that shall reach it; which bucket is another question."""
        return variables_for(self.access)

    def client(self) -> "boto3.client":
        return boto3.session.Session().client(
            "s3",
            endpoint_url=self.access.endpoint_url,
            region_name=self.access.region,
            aws_access_key_id=self.access.access_key_id,
            aws_secret_access_key=self.access.secret_access_key,
        )

    def wait(self, process: "subprocess.Popen[bytes]") -> None:
        give_up = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                self.client().list_buckets()
            except (BotoCoreError, ClientError):
                assert process.poll() is None, "the S3 server has ended"
                assert time.monotonic() < give_up, "the S3 server does not answer"
                time.sleep(0.1)
            else:
                return


def variables_for(access: S3Access) -> dict[str, str]:
    return {
        "BLOBFORGE_S3_ENDPOINT_URL": access.endpoint_url or "",
        "BLOBFORGE_S3_ACCESS_KEY_ID": access.access_key_id or "",
        "BLOBFORGE_S3_SECRET_ACCESS_KEY": access.secret_access_key or "",
        "BLOBFORGE_S3_REGION": access.region or "",
    }


@contextmanager
def running() -> Iterator[Seaweed]:
    with TemporaryDirectory(prefix="blobforge-seaweed-") as folder:
        (Path(folder) / "s3.json").write_text(json.dumps(IDENTITIES))
        master, volume, filer, s3 = _free_ports()
        command = [
            *(_weed(), "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-master.port={master}"),
            *(f"-volume.port={volume}", "-filer", f"-filer.port={filer}", "-s3", f"-s3.port={s3}"),
            *("-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.config={folder}/s3.json"),
            *("-master.volumeSizeLimitMB=64", "-volume.max=300", "-master.telemetry=false"),
        ]
        with (Path(folder) / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        try:
            seaweed = Seaweed(s3)
            seaweed.wait(process)
            yield seaweed
        finally:
            process.kill()
            process.wait()


def _weed() -> str:
    beside = Path(sys.executable).with_name("weed")
    return str(beside) if beside.exists() else shutil.which("weed") or "weed"


def _free_ports() -> list[int]:
    """Each with the one ten thousand above it, which the server takes as well.

    Processes that are started together have numbers next to each other: they begin their search far apart.
    """
    found: list[int] = []
    candidate = 20_000 + os.getpid() * 97 % 10_000
    while len(found) < 4:
        candidate = candidate + 1 if candidate < 50_000 else 20_000
        if all(_is_free(port) for port in (candidate, candidate + 10_000)):
            found.append(candidate)
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

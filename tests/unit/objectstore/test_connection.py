"""Clients of the SDK: many of them cost little, and each is its own."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from blobforge.objectstore import connection
from blobforge.objectstore.connection import client_of
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import S3Access


def place(number: int) -> Place:
    access = S3Access(f"http://127.0.0.1:{number}", "us-east-1", f"key-{number}", f"secret-{number}")
    return Place("bucket", "", access)


def facts_of(client: Any) -> tuple[str, str, str]:
    keys = client._request_signer._credentials
    return client.meta.endpoint_url, keys.access_key, keys.secret_key


def test_what_the_sdk_knows_of_s3_is_read_once() -> None:
    first, second = client_of(place(1)), client_of(place(2))

    assert first.meta.service_model.metadata is second.meta.service_model.metadata


def test_clients_that_threads_make_at_once_have_their_own_addresses_and_keys() -> None:
    all_are_there = threading.Barrier(8)

    def make(number: int) -> tuple[str, str, str]:
        all_are_there.wait(timeout=10)
        return facts_of(client_of(place(number)))

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(make, range(1, 9)))

    assert made == [(f"http://127.0.0.1:{number}", f"key-{number}", f"secret-{number}") for number in range(1, 9)]


def test_a_process_that_is_forked_off_has_a_session_of_its_own() -> None:
    ours = connection._session()

    child = os.fork()
    if child == 0:
        is_another = connection._session() is not ours
        client_of(place(1))
        os._exit(0 if is_another else 1)

    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert connection._session() is ours

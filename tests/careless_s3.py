"""A small S3 server that breaks a promise which a queue in a bucket needs: what a probe must find out.

It knows what the probe asks for and nothing more, checks no signatures, and answers on this machine alone.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple, cast
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree as ET

from tests.serving import serving

from blobforge.ports.blob_store import S3Access


class Flaw(Enum):
    NONE = "keeps all promises"
    IGNORES_CONDITIONS = "writes whatever the condition"
    CHECKS_TOO_EARLY = "looks first and writes later, so that several win"
    CREATES_ON_IF_MATCH = "takes If-Match on an absent object for no condition"
    REFUSES_CONDITIONS = "answers 501 to a condition"
    LISTS_LATE = "lists an object after the next one was written"
    KEEPS_LISTING = "lists what was deleted"
    IGNORES_START_AFTER = "begins every listing at the beginning"
    DROPS_METADATA = "forgets metadata"
    ALWAYS_DELETES = "deletes whatever the condition"
    TELLS_NO_TIME = "has no Date header"
    LATE_CLOCK = "has a clock that is an hour late"
    DENIES = "answers 403 to everything"


class Kept(NamedTuple):
    body: bytes
    metadata: dict[str, str]

    @property
    def etag(self) -> str:
        return f'"{hashlib.md5(self.body).hexdigest()}"'


class CarelessS3(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.flaw = flaw
        self.objects: dict[str, Kept] = {}
        self.listed: dict[str, Kept] = {}
        self.writing = threading.Lock()
        self.have_looked: dict[str, threading.Barrier] = {}
        """Two writers of one object wait for each other here: those of different objects are no race."""
        self.access = S3Access(f"http://127.0.0.1:{self.server_address[1]}", "us-east-1", "key", "secret")


@contextmanager
def running(flaw: Flaw) -> Iterator[CarelessS3]:
    with serving(CarelessS3(flaw)) as server:
        yield server


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "CarelessS3/1.0"
    sys_version = ""

    @property
    def store(self) -> CarelessS3:
        return cast("CarelessS3", self.server)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        key = unquote(urlsplit(self.path).path)
        flaw = self.store.flaw
        if flaw is Flaw.REFUSES_CONDITIONS and self._condition():
            return self._answer(501, _error("NotImplemented"))
        if flaw is Flaw.CHECKS_TOO_EARLY and self._condition():
            refusal = self._refusal(key)
            self._wait_for_another(key)
            with self.store.writing:
                return self._put(key, body) if refusal is None else self._answer(refusal, _error("PreconditionFailed"))
        with self.store.writing:
            refusal = None if flaw is Flaw.IGNORES_CONDITIONS else self._refusal(key)
            if refusal is not None:
                return self._answer(refusal, _error("NoSuchKey" if refusal == 404 else "PreconditionFailed"))
            return self._put(key, body)

    def do_GET(self) -> None:
        if "list-type" in self.path:
            return self._list()
        kept = self.store.objects.get(unquote(urlsplit(self.path).path))
        if kept is None:
            return self._answer(404, _error("NoSuchKey"))
        headers = {f"x-amz-meta-{name}": value for name, value in kept.metadata.items()}
        return self._answer(200, kept.body, ETag=kept.etag, Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT", **headers)

    do_HEAD = do_GET  # noqa: N815 - so the library calls it

    def do_DELETE(self) -> None:
        key = unquote(urlsplit(self.path).path)
        with self.store.writing:
            refusal = None if self.store.flaw is Flaw.ALWAYS_DELETES else self._refusal(key)
            if refusal is None:
                self._forget(key)
        self._answer(refusal or 204, _error("PreconditionFailed") if refusal else b"")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        bucket = urlsplit(self.path).path.rstrip("/")
        for key in ET.fromstring(body).iter("{http://s3.amazonaws.com/doc/2006-03-01/}Key"):
            self._forget(f"{bucket}/{key.text}")
        self._answer(200, b"<DeleteResult/>")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - so the library calls it
        """Nobody reads it."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        is_late = self.store.flaw is Flaw.LATE_CLOCK
        return "Thu, 01 Jan 2026 00:00:00 GMT" if is_late else super().date_time_string(timestamp)

    def send_header(self, keyword: str, value: str) -> None:
        if not (keyword == "Date" and self.store.flaw is Flaw.TELLS_NO_TIME):
            super().send_header(keyword, value)

    def _condition(self) -> str | None:
        return self.headers.get("If-None-Match") or self.headers.get("If-Match")

    def _refusal(self, key: str) -> int | None:
        """A status, where the condition does not hold."""
        kept, wanted = self.store.objects.get(key), self.headers.get("If-Match")
        if self.headers.get("If-None-Match") == "*" and kept is not None:
            return 412
        if wanted is not None and kept is None and self.store.flaw is not Flaw.CREATES_ON_IF_MATCH:
            return 404
        return 412 if wanted is not None and kept is not None and kept.etag != wanted else None

    def _wait_for_another(self, key: str) -> None:
        with self.store.writing:
            barrier = self.store.have_looked.setdefault(key, threading.Barrier(2))
        try:
            barrier.wait(timeout=1)
        except threading.BrokenBarrierError:
            with self.store.writing:
                self.store.have_looked.pop(key, None)

    def _put(self, key: str, body: bytes) -> None:
        metadata = {
            name.lower().removeprefix("x-amz-meta-"): value
            for name, value in self.headers.items()
            if name.lower().startswith("x-amz-meta-") and self.store.flaw is not Flaw.DROPS_METADATA
        }
        if self.store.flaw is Flaw.LISTS_LATE:
            self.store.listed = dict(self.store.objects)
        self.store.objects[key] = Kept(body, metadata)
        if self.store.flaw is not Flaw.LISTS_LATE:
            self.store.listed[key] = self.store.objects[key]
        self._answer(200, b"", ETag=self.store.objects[key].etag)

    def _forget(self, key: str) -> None:
        self.store.objects.pop(key, None)
        if self.store.flaw is not Flaw.KEEPS_LISTING:
            self.store.listed.pop(key, None)

    def _list(self) -> None:
        parts = urlsplit(self.path)
        asked = parse_qs(parts.query)
        bucket = parts.path.rstrip("/") + "/"
        prefix, after = asked.get("prefix", [""])[0], asked.get("start-after", [""])[0]
        if self.store.flaw is Flaw.IGNORES_START_AFTER:
            after = ""
        keys = {key.removeprefix(bucket): kept for key, kept in self.store.listed.items()}
        entries = "".join(
            f"<Contents><Key>{key}</Key><Size>{len(keys[key].body)}</Size><ETag>{keys[key].etag}</ETag>"
            "<LastModified>2026-01-01T00:00:00Z</LastModified></Contents>"
            for key in sorted(keys)
            if key.startswith(prefix) and key > after
        )
        self._answer(200, f"<ListBucketResult>{entries}</ListBucketResult>".encode())

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        if self.store.flaw is Flaw.DENIES:
            status, body, headers = 403, _error("AccessDenied"), {}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status != 204:
            self.wfile.write(body)


def _error(code: str) -> bytes:
    return f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>{code}</Message></Error>'.encode()

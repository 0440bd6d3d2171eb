"""A proxy in front of a real S3 server that breaks what passes through it, as a test asks for.

    with running(seaweed) as faulty:
        store = ObjectStore(Place("bucket", "", faulty.access))
        with faulty.fault(Fault.LOST_REPLY, method="PUT", times=1):
            store.put(...)

Requests go on as the client signed them, `Host` included, so that signatures hold. Processes may share it: faults are
switched for all who use it.
"""

import random
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from http.client import HTTPException, HTTPResponse
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import BinaryIO, NamedTuple, cast
from urllib.parse import urlsplit

from tests.seaweed import Seaweed
from tests.serving import serving

from blobforge.ports.blob_store import S3Access

PATIENCE_SECONDS = 60
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
SLOW_DOWN = (
    b'<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>'
)


Address = tuple[str, int]


class Fault(Enum):
    BUSY = "503 SlowDown; the request does not reach the store"
    SLOW = "the answer comes late"
    SILENT = "no answer as long as the fault lasts, and a closed connection then; the request does not reach the store"
    REFUSED = "the connection is reset before the request reaches the store"
    LOST_REPLY = "the request reaches the store, and the connection is reset instead of an answer"
    CUT_REPLY = "half of the answer comes, then the connection is reset"
    CUT_REQUEST = "the connection ends between the headers and the body, on both sides"
    SENT_TWICE = "the request is sent twice, as some proxies do, and the second answer is told"


class Seen(NamedTuple):
    """A request, and what the client was told: a status, or 0 where it got no answer."""

    method: str
    path: str
    status: int


@dataclass
class Order:
    """A fault for the requests that fit."""

    fault: Fault
    method: str = ""
    path: str = ""
    share: float = 1.0
    left: float = float("inf")
    seconds: float = 0.0
    lifted: threading.Event = field(default_factory=threading.Event)

    def fits(self, request: "Request") -> bool:
        return self.left > 0 and self.method in ("", request.method) and self.path in request.path


class Request(NamedTuple):
    method: str
    path: str
    raw: bytes


class FaultyProxy(ThreadingTCPServer):
    """In front of any HTTP server on this machine."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, target_url: str) -> None:
        super().__init__(("127.0.0.1", 0), Connection)
        target = urlsplit(target_url)
        self.target = (target.hostname or "", target.port or 0)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.seen: list[Seen] = []
        self._orders: list[Order] = []
        self._chance = random.Random(0)
        self._lock = threading.Lock()

    @contextmanager
    def fault(
        self,
        fault: Fault,
        *,
        method: str = "",
        path: str = "",
        share: float = 1.0,
        times: float = float("inf"),
        seconds: float = 0.0,
    ) -> Iterator[Order]:
        """For requests of this method whose path has this in it: all, a share of them, or the first few."""
        order = Order(fault, method=method, path=path, share=share, left=times, seconds=seconds)
        with self._lock:
            self._orders.append(order)
        try:
            yield order
        finally:
            with self._lock:
                self._orders.remove(order)
            order.lifted.set()

    def order_for(self, request: Request) -> Order | None:
        with self._lock:
            for order in self._orders:
                if order.fits(request) and self._chance.random() < order.share:
                    order.left -= 1
                    return order
        return None


class FaultyS3(FaultyProxy):
    def __init__(self, seaweed: Seaweed) -> None:
        super().__init__(seaweed.access.endpoint_url or "")
        self.access: S3Access = seaweed.access._replace(endpoint_url=self.url)


@contextmanager
def running(seaweed: Seaweed) -> Iterator[FaultyS3]:
    with serving(FaultyS3(seaweed)) as server:
        yield server


class Connection(StreamRequestHandler):
    """One client's connection, for one request after the other."""

    def handle(self) -> None:
        faulty = cast("FaultyProxy", self.server)
        with suppress(OSError, HTTPException):
            while (request := self._next()) is not None:
                order = faulty.order_for(request)
                status = self._answer(request, order, faulty.target)
                faulty.seen.append(Seen(request.method, request.path, status))
                if not status:
                    return

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()

    def _answer(self, request: Request, order: Order | None, target: Address) -> int:
        """The status that was told; 0 when the connection is over."""
        match order.fault if order else None:
            case Fault.BUSY:
                return self._tell(503, "Service Unavailable", [("Content-Type", "application/xml")], SLOW_DOWN, request)
            case Fault.REFUSED:
                return self._reset()
            case Fault.CUT_REQUEST:
                _forward_headers(request, target)
                return self._reset()
            case Fault.SILENT:
                assert order
                order.lifted.wait(PATIENCE_SECONDS)
                return self._reset()
            case Fault.SLOW:
                assert order
                # The slowness is what is tested, and nobody but the clock can end it.
                time.sleep(order.seconds)
            case Fault.SENT_TWICE:
                _forward(request, target)
        status, reason, headers, body = _forward(request, target)
        match order.fault if order else None:
            case Fault.LOST_REPLY:
                return self._reset()
            case Fault.CUT_REPLY:
                self._tell(status, reason, headers, body, request, part=len(body) // 2)
                return self._reset()
        return self._tell(status, reason, headers, body, request)

    def _next(self) -> Request | None:
        head = _head(cast("BinaryIO", self.rfile))
        if head is None:
            return None
        method, path, _ = head[0].split(" ", 2)
        fields = dict(_fields(head[1:]))
        if fields.get("expect", "").lower() == "100-continue":
            self.wfile.write(CONTINUE)
        body = self.rfile.read(int(fields.get("content-length", "0")))
        # The body follows at once, so that nobody waits for another leave; the header is not among the signed ones.
        kept = [line for line in head if not line.lower().startswith("expect:")]
        return Request(method, path, "\r\n".join([*kept, "", ""]).encode("latin-1") + body)

    def _tell(
        self,
        status: int,
        reason: str,
        headers: list[tuple[str, str]],
        body: bytes,
        request: Request,
        *,
        part: int | None = None,
    ) -> int:
        # A body has come whole, whatever parts the store sent it in. HEAD tells the length of what it does not send.
        own = [] if request.method == "HEAD" else [("Content-Length", str(len(body)))]
        dropped = {"transfer-encoding", "connection", *(name.lower() for name, _ in own)}
        kept = [(name, value) for name, value in headers if name.lower() not in dropped]
        lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in [*kept, *own])]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        if request.method != "HEAD":
            self.wfile.write(body[:part])
        self.wfile.flush()
        return status

    def _reset(self) -> int:
        # Closed without lingering, a socket says RST instead of a polite end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        return 0


def _head(stream: BinaryIO) -> list[str] | None:
    lines: list[str] = []
    while line := stream.readline().decode("latin-1"):
        if line in ("\r\n", "\n"):
            return lines
        lines.append(line.rstrip("\r\n"))
    return None


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, _, value = line.partition(":")
        yield name.strip().lower(), value.strip()


def _forward_headers(request: Request, target: Address) -> None:
    """Until the store has noticed that nothing follows: what it makes of it is there before the client tries again."""
    with socket.create_connection(target, PATIENCE_SECONDS) as store:
        store.sendall(request.raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")
        store.shutdown(socket.SHUT_WR)
        while store.recv(1024):
            continue


def _forward(request: Request, target: Address) -> tuple[int, str, list[tuple[str, str]], bytes]:
    # A connection for each: one that is kept may be closed by the store at the wrong moment, which nobody asked for.
    with socket.create_connection(target, PATIENCE_SECONDS) as store:
        store.sendall(request.raw)
        with HTTPResponse(store, method=request.method) as answer:
            answer.begin()
            return answer.status, answer.reason, answer.getheaders(), answer.read()

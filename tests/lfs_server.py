"""A Git LFS server on this machine, by the batch API over HTTP: enough of it to fetch what tests put there."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

MEBIBYTE = 1 << 20
MOST_SENT = 1024 * MEBIBYTE


@dataclass
class LfsServer:
    """`contents` by their hashes. With `wants_password`, whoever has named none is asked for one.

    A content comes whole, or more of it than anybody asked for, or a byte in a second.
    """

    url: str = ""
    contents: dict[str, bytes] = field(default_factory=dict)
    wants_password: bool = False
    sends: Literal["whole", "too much", "too slowly"] = "whole"
    sent: int = 0
    """So many bytes that were too much."""
    began: threading.Event = field(default_factory=threading.Event)
    """Set when an odd answer has begun."""
    ended: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)
    """The paths of all requests."""

    def answer(self, request: BaseHTTPRequestHandler) -> tuple[int, bytes]:
        self.asked.append(request.path)
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        if self.wants_password and request.headers.get("Authorization") is None:
            return 401, b"{}"
        if request.path.endswith("/objects/batch"):
            objects = [self._offer(entry["oid"], entry["size"]) for entry in json.loads(body)["objects"]]
            return 200, json.dumps({"transfer": "basic", "objects": objects}).encode()
        content = self.contents.get(request.path.rpartition("/")[2])
        return (404, b"") if content is None else (200, content)

    def send_oddly(self, request: BaseHTTPRequestHandler, content: bytes) -> None:
        request.send_response(200)
        if self.sends == "too slowly":
            request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        self.began.set()
        with suppress(OSError):
            for number in range(len(content)) if self.sends == "too slowly" else range(MOST_SENT // MEBIBYTE):
                if self.sends == "too slowly":
                    request.wfile.write(content[number : number + 1])
                    if self.ended.wait(timeout=1):
                        return
                else:
                    request.wfile.write(b"x" * MEBIBYTE)
                    self.sent += MEBIBYTE

    def _offer(self, oid: str, size: int) -> dict[str, object]:
        if oid not in self.contents:
            return {"oid": oid, "size": size, "error": {"code": 404, "message": "Object does not exist"}}
        return {"oid": oid, "size": size, "actions": {"download": {"href": f"{self.url}/contents/{oid}"}}}


@contextmanager
def running() -> Iterator[LfsServer]:
    lfs = LfsServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, body = lfs.answer(self)
            if lfs.sends != "whole" and "/contents/" in self.path:
                lfs.send_oddly(self, body)
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Type", "application/vnd.git-lfs+json")
            self.send_header("Content-Length", str(len(body)))
            if status == 401:
                self.send_header("WWW-Authenticate", "Basic")
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815 - its name there

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Tests say what they need to say."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        lfs.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, name="lfs-server")
        thread.start()
        try:
            yield lfs
        finally:
            lfs.ended.set()
            server.shutdown()
            thread.join()
